"""What a report rests on: rows, records, and what lies beside what."""
