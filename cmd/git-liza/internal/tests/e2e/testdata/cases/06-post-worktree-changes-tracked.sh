#!/bin/sh
# The set-up changes a tracked file, as an install does with its lock file. Nobody is held for what they did not do.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo '{"lock":1}' >package-lock.json
commit lock
board
once
set_up 'echo "{\"lock\":2}" >package-lock.json'
task t1 --owns x.md
work <<'W'
echo x >x.md
adds=x.md
W
rush
began t1
is MERGED t1 || fail 'a tracked file that the set-up changed counts as changed by the coder'
pass 'merged without the lock file'
