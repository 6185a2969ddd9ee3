#!/bin/sh
# The person tries integration in a worktree of their own, where a file of theirs is in the way of a merge.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
must git worktree add -q "$T/integration" integration
task t1
task t2 --depends-on t1
echo mine >"$T/integration/t2"
echo 'echo hi >$LIZA_TASK' | work
rush
worked t1 t2
cd "$T/integration"
[ "$(cat t2)" = mine ] || fail "a file of the person's was overwritten"
git status --porcelain | grep -v '^??' && fail 'it shows what was merged as if it was taken back'
[ -e t1 ] || fail 'it does not have what was merged'
pass "the truth is shown: $(states t2)"
