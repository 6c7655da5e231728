"""The options of the lab's own C programs, as these explain them: options.json, never typed by hand."""
