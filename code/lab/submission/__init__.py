"""Hand-ins: made of a report and its records, compared with others, and opened as a stranger's."""
