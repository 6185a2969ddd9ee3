#!/bin/sh
# The command that calls people hangs. The rush does its work all the same, and somebody is told that nobody was.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
git config liza.notify 'sleep 100'
git config liza.notify.every 1s
once
task t1
task t2
work <<'W'
: >"$T/ran-$LIZA_TASK"
[ $LIZA_TASK = t2 ] || exit 1
echo hi >a.txt
W
bound=90 rush
code=$?
worked t2
[ $code != 124 ] || fail 'the rush waits for it'
is MERGED t2 || fail "$(states t2)"
git liza doctor | grep -q liza.notify || fail 'no line says that nobody was called'
pass 'the rush ended, and doctor says it'
