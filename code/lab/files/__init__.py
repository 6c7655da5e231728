"""What lies on a disk: read within bounds, written whole or not at all, held against its digest."""
