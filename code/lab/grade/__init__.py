"""Grading: one hand-in, or a class of them, held against what the grader's own site measures."""
