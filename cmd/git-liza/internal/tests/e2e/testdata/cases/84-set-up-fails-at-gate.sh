#!/bin/sh
# The set-up fails where a gate runs, and works later. Its error is shown, and no claim counts for it.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo dep >.gitignore
commit ignore
board
once
set_up "case \$PWD in *gate-*) test -e $T/net || { echo 'network unreachable' >&2; exit 7; } ;; esac; echo ok >dep"
must git liza config gates.test.command 'test -f dep'
must git liza config gates.test.at submit
task t1
echo 'echo hi >a.txt' | work
bound=30 rush
began t1
mv "$T/rush.out" "$T/first.out"
grep -q 'network unreachable' "$T/first.out" || fail 'what the set-up printed is not shown'
is BLOCKED t1 && fail 'the fault of the machine counts as a failed claim'
: >"$T/net"
must git liza gate outage test --over
rush
is MERGED t1 || fail "$(states t1)"
pass 'shown, and merged'
