"""What trials left, and the tables that are made of it."""
