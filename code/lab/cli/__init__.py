"""The command line: arguments in, a sentence out."""
