#!/bin/sh
# One host finds no renames and the other renames of whole folders: their merges are the server's too.
. "$(dirname "$0")/lib.sh"
hub
mkdir old
for i in 1 2 3 4; do seq $i 40 >old/$i; done
commit old
git push -q origin main
must git -C "$T/hub.git" liza hooks install --server
board --remote origin
git config merge.renames false
git config merge.directoryRenames true
git config diff.renameLimit 1
task t1
task t2
code t1 coder-1 'git mv old new'
code t2 coder-2 'echo more >>old/3; echo added >old/5'
for t in t1 t2; do
	approve $t
	git liza merge $t >"$T/merge-$t.out" 2>&1
done
git -C "$T/hub.git" log --format=%s refs/liza/state | grep -q '^merge t1 ' || void 'the server has no merge'
reached 'the server took the merge of t1'
grep -qi 'reproduce\|refus' "$T"/merge-t?.out && fail 'the server refuses what a client merged'
must git clone -q "$T/hub.git" "$T/second"
cd "$T/second" && must git liza sync --set origin
git liza fsck --full >"$T/fsck.out" 2>&1 || fail 'another clone finds the history unsound'
pass "the same everywhere: $(states t1 t2 | paste -sd ' ')"
