#!/bin/sh
# An agent rebases onto main, which has moved: a commit that is not its own comes along.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
once
task t1 --owns a.txt
echo c >colleague.txt
commit 'a colleague on main'
work <<'W'
git rebase -q main
echo hi >a.txt
W
rush
began t1
if is MERGED t1; then
	holds colleague.txt || fail 'what came along is lost'
	pass 'merged with it'
fi
grep -q colleague.txt "$T/rush.out" "$T/submit-t1" || fail 'the reason is not named'
grep -q '^hint: ' "$T/submit-t1" || fail 'nothing says what to type'
pass 'refused and named'
