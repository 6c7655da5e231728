"""The report as a web page."""
