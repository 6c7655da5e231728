"""The book of an assignment: what everybody of a course has in the end, by checks, by people, and by the calendar."""
