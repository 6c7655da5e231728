"""A student's text: safe LaTeX, evidence macros, typed numbers, references and figures of the student's own."""
