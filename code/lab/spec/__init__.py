"""Experiments: the file is read, checked, and turned into values."""
