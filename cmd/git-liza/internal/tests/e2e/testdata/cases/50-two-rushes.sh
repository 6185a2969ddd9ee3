#!/bin/sh
# Two rushes begin in one clone at once. Neither takes what the other has.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
for t in t1 t2 t3 t4; do task $t; done
echo 'sleep 0.7; echo hi >$LIZA_TASK' | work
rush &
out="$T/second.out" rush
wait
worked t1 t2 t3 t4
is MERGED t1 t2 t3 t4 || fail "$(states t1 t2 t3 t4)"
[ "$(git log --format=%s refs/liza/state | grep -c '^claim t')" = 4 ] || fail 'a task was claimed twice'
pass 'four tasks, four claims'
