"""Links between two ends on this computer."""
