"""Trials measured: each at most once, checked, and kept."""
