#!/bin/sh
# Shallow clones, as CI makes them: one begins a board, the other joins it.
. "$(dirname "$0")/lib.sh"
repo "$T/whole"
for i in 1 2 3 4 5; do echo $i >f && commit $i; done
must git clone -q --bare "$T/whole" "$T/hub.git"
must git clone -q --depth 1 "file://$T/hub.git" "$R"
cd "$R"
board --remote origin
task t1
echo 'echo $LIZA_TASK >a.txt' | work
rush
worked t1
is MERGED t1 || fail "$(states t1)"
must git clone -q --depth 1 "file://$T/hub.git" "$T/second"
cd "$T/second"
git config liza.backoff 1ms
git liza sync --set origin >"$T/sync.out" 2>&1 || fail 'a shallow clone cannot join'
task t2
rush
worked t2
is MERGED t2 || fail "$(states t2)"
git liza fsck --full >"$T/fsck.out" 2>&1 || fail 'the history is unsound there'
pass 'both work'
