"""`lab adopt`: from a folder of programs to an experiment."""
