#!/bin/sh
# .worktrees is a link to a larger disk.
. "$(dirname "$0")/lib.sh"
repo "$R"
mkdir "$T/large" && ln -s "$T/large" .worktrees
board
task t1
echo 'echo hi >a.txt' | work
rush
worked t1
is MERGED t1 || fail "$(states t1)"
[ -z "$(git status --porcelain)" ] || fail 'the line of info/exclude does not match a link: git add -A would commit .worktrees'
pass 'merged, and git does not see the link'
