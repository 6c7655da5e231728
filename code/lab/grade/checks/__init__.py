"""The checks of a submission, each a function from case to findings."""
