#!/bin/sh
# An agent commits a file with the marks of a conflict. Somebody notices.
. "$(dirname "$0")/lib.sh"
repo "$R"
seq 5 >f
commit f
board
once
task t1
task t2
work <<'W'
if [ $LIZA_TASK = t2 ]; then
	echo hi >plain
else
	printf '%s\n' '<<<<<<< HEAD' a ======= b '>>>>>>> liza/t2' >f
fi
W
rush
worked t2
began t1
is MERGED t1 && ! grep -qi marker "$T/rush.out" "$T/submit-t1" && fail 'marks of a conflict that the base did not have are merged, and nothing names them'
pass "noticed: $(states t1)"
