"""The evidence of a report: rows, records, and the pairs to compare."""
