"""From values to LaTeX, and from LaTeX to pages."""
