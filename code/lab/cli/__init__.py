"""The command line: arguments in, a sentence out."""

# Exit statuses beside 0, 1 and 2, as a shell reports them.
INTERRUPTED = 130  # by Ctrl-C
UNREAD = 141  # wrote to `head` after its end
