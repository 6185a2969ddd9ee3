#!/bin/sh
# An agent writes its work and ends without a commit. The work is kept, and who looks finds it.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
once
task t1
work <<'W'
echo finished >result.txt
: >"$T/ran-t1"
exit 0
W
rush
began t1
git liza task abandon t1 --reason 'not done' >"$T/abandon.out" 2>&1
saved=$(for ref in $(git for-each-ref --format='%(refname)' refs/liza); do git cat-file -e "$ref:result.txt" 2>/dev/null && echo "$ref"; done)
[ -n "$saved" ] || [ -f .worktrees/t1/result.txt ] || fail 'the work is gone'
git liza show t1 | grep -q saved || fail 'show does not say where the work of abandoned work is kept'
pass "kept in $saved, which show names"
