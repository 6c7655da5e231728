#!/bin/sh
# Gradescope runs this once, as root, when it makes the autograder's image: install, compile, and measure all that
# no submission changes.
set -eu
cd /autograder/source

command -v make >/dev/null || { apt-get update && apt-get install -y --no-install-recommends make; }
make build
[ ! -f image.lab ] || .venv/bin/lab image import image.lab
.venv/bin/lab grade-prepare --assignment "$(cat assignment)"
