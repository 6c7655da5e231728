"""The claims check: what a text says, held against the data."""
