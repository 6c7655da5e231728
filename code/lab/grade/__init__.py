"""Grading: one hand-in, or a class of them, compared with measurements on the grader's own site."""
