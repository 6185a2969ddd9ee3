#!/bin/sh
# An agent adds a remote of its own and pushes its work there.
. "$(dirname "$0")/lib.sh"
must git init -q --bare "$T/fork.git"
repo "$R"
board
task t1
work <<'W'
echo hi >a.txt
git remote add fork "$T/fork.git"
git add -A && git commit -q -m x
git push -q fork HEAD:refs/heads/leak
W
rush
worked t1
[ -z "$(git remote)" ] || fail "a session's remote stays"
[ -z "$(git -C "$T/fork.git" for-each-ref)" ] || fail 'the work was pushed there'
pass 'the remote is gone, and has nothing'
