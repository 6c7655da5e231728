"""What is handed in: made of a report and its records, compared with another, and opened as a stranger's."""
