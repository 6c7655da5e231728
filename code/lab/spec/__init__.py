"""What an experiment asks: its file read, checked, and put into values."""
