"""Sites: the places where trials run."""
