"""The options of the lab's own C programs. The programs write options.json; nobody types it."""
