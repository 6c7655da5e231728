"""Submissions: written from a report and its records, compared with others, and opened as untrusted files."""
