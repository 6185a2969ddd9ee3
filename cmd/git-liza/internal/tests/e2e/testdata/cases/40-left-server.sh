#!/bin/sh
# An agent leaves servers in the background, in sessions of their own. They end with its session.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
work <<'W'
setsid nohup sh -c 'echo $$ >"$T/pid1"; exec sleep 300' >/dev/null 2>&1 &
( (setsid sh -c 'echo $$ >"$T/pid2"; exec sleep 301' &) )
while [ ! -s "$T/pid1" ] || [ ! -s "$T/pid2" ]; do sleep 0.1; done
echo hi >a.txt
W
rush
worked t1
for i in 1 2; do until_true 5 ended $(cat "$T/pid$i") || fail 'a server lives on'; done
is MERGED t1 || fail "$(states t1)"
pass 'both ended'
