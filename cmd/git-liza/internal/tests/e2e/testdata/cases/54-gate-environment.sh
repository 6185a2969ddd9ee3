#!/bin/sh
# A gate needs a variable of the machine. A setting lets it through, and does not write it on the board.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
once
git config --add liza.env JAVA_HOME=/opt/java
must git liza config gates.java.command "echo \"\${JAVA_HOME:-none}\" >>$T/seen; test \"\${JAVA_HOME##*/}\" = java"
task t1
echo 'echo hi >a.txt' | work
rush
worked t1
[ -s "$T/seen" ] || void 'the gate did not run'
is MERGED t1 || fail 'no setting lets a gate see a variable of the machine'
git log -p refs/liza/state | grep -q /opt/java && fail 'its value is on the board'
pass 'the gate sees it'
