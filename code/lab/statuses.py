"""Exit statuses of the lab beside 0, 1 and 2, as a shell reports them."""

INTERRUPTED = 130  # by Ctrl-C
UNREAD = 141  # wrote to `head` after its end
