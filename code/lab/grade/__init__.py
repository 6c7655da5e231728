"""Grading: one submission, or a class of them, compared with measurements on the grader's own site."""
