"""The exact site's machine: its image, its snapshot, and the jobs that start from there."""
