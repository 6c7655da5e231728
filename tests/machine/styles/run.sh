#!/bin/sh
echo "client of $1"
exec ./tcp "$@"
