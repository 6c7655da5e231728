"""Records of trials, and the tables made of them."""
