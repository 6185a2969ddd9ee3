#!/bin/sh
# An agent removes the worktree of another that is at work, prunes and collects garbage. The other is done again.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
soon
task t1
task t2
work <<'W'
if [ $LIZA_TASK = t1 ]; then
	for i in $(seq 100); do [ -e ../t2/wip ] && break; sleep 0.1; done
	git worktree remove --force ../t2
	rm -rf ../t2
	git worktree prune
	git gc -q --prune=now
	: >"$T/removed"
	echo hi >a
else
	if [ ! -e "$T/second" ]; then
		: >"$T/second"
		echo wip >wip
		for i in $(seq 200); do [ -e "$T/removed" ] && break; sleep 0.1; done
	fi
	echo b >b
fi
W
coders=2 rush
[ -e "$T/removed" ] && [ -e "$T/second" ] || void 'nobody was at work beside it'
worked t1 t2
is MERGED t1 t2 || fail "$(states t1 t2)"
[ "$(git worktree list | wc -l)" = 1 ] || fail 'worktrees are left'
pass 'it was done again without a person'
