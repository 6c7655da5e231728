"""The link as a witness: what crossed it, when, and whether that is what a program claims."""
