"""The pages of docs/ that are made from the code: what a key, a column or a field is stands once."""
