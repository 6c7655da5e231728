"""Count the instructions of a message on the exact site, by function and by kind of work."""
