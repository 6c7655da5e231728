"""Files inside a PDF."""
