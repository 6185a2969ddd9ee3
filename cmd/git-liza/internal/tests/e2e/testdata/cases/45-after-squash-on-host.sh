#!/bin/sh
# A code host squashes integration into main. What doctor says then, typed as it stands, keeps the next round from conflicts.
. "$(dirname "$0")/lib.sh"
repo "$R"
printf 'a\nb\nc\n' >f
commit f
board
task t1
echo 'sed -i "s/^b.*/b $LIZA_TASK/" f' | work
rush
worked t1
is MERGED t1 || fail "$(states t1)"
git merge -q --squash integration >/dev/null && commit 'Work of the first round (#1)'
git liza doctor >"$T/doctor.out" 2>&1
hint=$(sed -n 's/^ *hint: //p' "$T/doctor.out" | grep integration | head -1)
[ -n "$hint" ] || hint=$(sed -n 's/^ *hint: //p' "$T/doctor.out" | grep adopt | head -1)
[ -n "$hint" ] || fail 'doctor does not say what to do'
sh -c "$hint" >"$T/hint.out" 2>&1 || fail "the hint fails: $hint"
task t2
rush
worked t2
is MERGED t2 || fail "$(states t2)"
git merge integration >"$T/merge.out" 2>&1 || fail 'the next merge of integration conflicts'
[ "$(sed -n 2p f)" = 'b t2' ] || fail 'the second round is not there'
pass 'the second round merges'
