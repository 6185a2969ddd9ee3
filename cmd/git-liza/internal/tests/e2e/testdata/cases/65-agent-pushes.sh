#!/bin/sh
# An agent pushes: to main, by force, a deletion, a branch of its own. The remote has no hooks.
. "$(dirname "$0")/lib.sh"
hub
git push -q origin main:refs/heads/colleague
board --remote origin
task t1
theirs() { git -C "$T/hub.git" for-each-ref --format='%(refname) %(objectname)' refs/heads | grep -v '/integration \|/liza/'; }
before=$(theirs)
work <<'W'
echo hi >a.txt
git add -A && git commit -q -m x
for push in 'origin HEAD:refs/heads/main' '--force origin HEAD:refs/heads/main' 'origin --delete colleague' 'origin HEAD:refs/heads/new'; do
	git push $push
	echo "$push ended with $?" >>"$T/pushes.out"
done
W
rush
worked t1
[ "$(wc -l <"$T/pushes.out")" = 4 ] || void 'not all was pushed'
[ "$(theirs)" = "$before" ] || fail "an agent's push moved branches of others"
is MERGED t1 || fail "$(states t1)"
pass 'no push got out'
