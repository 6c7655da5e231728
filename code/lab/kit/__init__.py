"""Kits: an assignment with its hand-out, starter files, and a reference solution that students do not get."""
