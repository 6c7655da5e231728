"""One end of a link: the agent there, and the harness's side of it."""
