"""Files on a disk: read within bounds, written whole or not at all, checked by digest."""
