#!/bin/sh
# A machine on which git knows nobody, and HOME cannot be written.
. "$(dirname "$0")/lib.sh"
repo "$R"
git config --global --remove-section user
git liza init G --spec specs/vision.md >"$T/init.out" 2>&1 && void 'a board was made by nobody'
git config user.name CI
git config user.email ci@example.com
chmod 500 "$HOME"
board
task t1
echo 'echo hi >a.txt' | work
rush
worked t1
grep -q 'user.name\|user.email' "$T/init.out" || fail 'the refusal does not say what is missing'
is MERGED t1 || fail "$(states t1)"
pass 'refused with the reason, then all works'
