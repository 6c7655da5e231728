"""What lies between two ends on this computer."""
