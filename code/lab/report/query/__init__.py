"""Numbers by query and statements about them, answered from the records of one experiment."""
