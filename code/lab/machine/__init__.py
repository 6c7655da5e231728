"""The exact site's machine: its image, its frozen state, and the jobs that start from there."""
