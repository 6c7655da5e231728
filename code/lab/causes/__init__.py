"""Where the instructions of a message go: counted on the exact site, by function and by kind of work."""
