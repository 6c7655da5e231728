"""What a text claims, and whether the data support it."""
