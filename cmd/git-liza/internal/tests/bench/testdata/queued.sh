#!/bin/sh
# Usage: GIT_DIR=DIR queued.sh FLOOR ARGUMENT...
# The script FLOOR with its arguments, once it is its turn.
set -eu
exec 9>"$GIT_DIR/floor.lock"
flock 9
exec sh "$@" 9>&9
