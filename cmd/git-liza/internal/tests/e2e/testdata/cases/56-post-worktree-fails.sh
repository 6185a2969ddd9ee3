#!/bin/sh
# The set-up fails and works later. What it printed is shown, and nobody works where it failed.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo setup.ok >.gitignore
commit ignore
board
soon
set_up "test -e $T/net || { echo 'network unreachable' >&2; exit 7; }; echo ok >setup.ok"
task t1
work <<'W'
if test -e setup.ok; then echo yes; else echo no; fi >>"$T/ready"
echo hi >a.txt
W
bound=60 rush
mv "$T/rush.out" "$T/first.out"
: >"$T/net"
rush
worked t1
grep -q 'network unreachable' "$T/first.out" || fail 'what the set-up printed is not shown'
grep -q no "$T/ready" && fail 'a coder works where the set-up has failed'
is MERGED t1 || fail "$(states t1)"
pass 'shown, made again, merged'
