"""The report as one page of HTML, from the same LaTeX as the PDF."""
