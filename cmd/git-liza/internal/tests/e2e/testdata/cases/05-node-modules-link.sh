#!/bin/sh
# The set-up links node_modules into each worktree. The line node_modules/ of .gitignore matches no link.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo 'node_modules/' >.gitignore
commit ignore
mkdir node_modules && echo dep >node_modules/dep
board
set_up 'ln -s "$LIZA_CLONE/node_modules" node_modules'
task t1
work <<'W'
cat node_modules/dep >/dev/null || exit 1
echo hi >a.txt
W
rush
worked t1
holds node_modules && fail 'the link is on integration'
is MERGED t1 || fail "$(states t1)"
pass 'merged without the link'
