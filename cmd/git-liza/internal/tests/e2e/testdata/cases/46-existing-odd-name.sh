#!/bin/sh
# Files that Windows cannot have are there already, and a task edits them.
. "$(dirname "$0")/lib.sh"
repo "$R"
mkdir aux
for f in 'notes: todo.md' aux/x.md 'what?.md'; do echo x >"$f"; done
commit odd
board
task t1
task t2
work <<'W'
if [ $LIZA_TASK = t1 ]; then
	echo more >>'notes: todo.md'
	echo more >>aux/x.md
else
	echo hi >plain.md
fi
W
rush
worked t1 t2
is MERGED t1 t2 || fail "$(states t1 t2)"
pass 'they can be edited'
