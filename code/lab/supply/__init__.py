"""What a lock names, brought here from whoever has it: every byte checked, nothing installed, no rights asked for."""
