#!/bin/sh
# The person checks out an agent's branch to look at it. It is rejected, and the coder begins again.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
echo 'date +%N >a.txt' | work
review <<'W'
if [ ! -e "$T/rejected" ]; then
	: >"$T/rejected"
	git -C "$R" switch -q liza/t1 || git -C "$R" checkout -q --ignore-other-worktrees liza/t1
	exec git liza reject $LIZA_TASK --commit $LIZA_REVIEW_COMMIT --reason '- [blocker] a.txt:1 — wrong'
fi
W
rush
worked t1
moved 'reject t1' && [ "$(git branch --show-current)" = liza/t1 ] || void 'the person does not stand on the branch of a rejected task'
is MERGED t1 && pass 'merged, though the person stands on the branch'
grep -q 'checkout --detach' "$T/rush.out" || fail 'the task stops, and nothing names the command that frees the branch'
git checkout -q --detach
pass 'stopped, with the command that frees the branch'
