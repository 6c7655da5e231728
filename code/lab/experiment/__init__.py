"""Experiments: read, checked, and typed."""
