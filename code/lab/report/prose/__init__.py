"""The statements of a text, and their support in the data."""
