#!/bin/sh
# The set-up leaves files that .gitignore does not name. Neither coder nor reviewer is held for them.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
once
set_up 'mkdir -p build && echo x >build/cache && ln -s /usr/bin/env .tool'
task t1 --owns x.md
work <<'W'
echo x >x.md
adds=x.md
W
rush
began t1
holds build/cache && fail 'what the set-up left is merged'
is MERGED t1 || fail 'files that the set-up left count as the work of the coder'
pass 'merged without them'
