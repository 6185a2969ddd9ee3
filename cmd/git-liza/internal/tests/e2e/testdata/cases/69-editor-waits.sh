#!/bin/sh
# git commit without -m in a session: nobody can type into the person's editor, so none opens.
. "$(dirname "$0")/lib.sh"
echo "echo opened >'$T/opened'; sleep 300; false" >"$HOME/edit.sh"
git config --global core.editor "sh '$HOME/edit.sh'"
export EDITOR="sh '$HOME/edit.sh'" VISUAL="sh '$HOME/edit.sh'"
repo "$R"
board
task t1
work <<'W'
echo hi >a.txt
git add -A
git commit &
commit=$!
while kill -0 $commit 2>/dev/null && [ ! -e "$T/opened" ]; do sleep 0.1; done
kill $commit 2>/dev/null
rm -f "$(git rev-parse --git-path index.lock)"
W
rush
worked t1
[ ! -e "$T/opened" ] || fail "the person's editor opens in a session, and waits for nobody"
is MERGED t1 || fail "$(states t1)"
pass 'no editor opened'
