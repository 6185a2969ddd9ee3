#!/bin/sh
# Branches and a tag of the person's are in the way of ours. The hint, typed as it stands, helps.
. "$(dirname "$0")/lib.sh"
obey() { sh -c "$(sed -n 's/^hint: //p' "$1" | tail -1)" >"$T/obeyed.out" 2>&1; }
begins() { git liza init G --spec specs/vision.md >"$T/init.out" 2>&1 && task t1 && git liza claim t1 --as coder-1 >"$T/init.out" 2>&1; }
for branch in liza integration/x; do
	repo "$R-${branch%%/*}"
	git branch $branch
	begins || { obey "$T/init.out" && begins; } || bad="${bad:-} [$branch]"
done
repo "$R"
board
task t1
task t2
git tag integration
must git checkout -q -b liza/t1
echo own >own
commit own
must git checkout -q main
mine=$(git rev-parse refs/heads/liza/t1)
echo 'echo hi >$LIZA_TASK.txt' | work
rush
is MERGED t2 || rush
worked t2
is MERGED t2 || fail "$(states t2)"
if ! is MERGED t1; then
	obey "$T/rush.out"
	out="$T/again.out" rush
	is MERGED t1 || bad="${bad:-} [liza/t1]"
fi
[ -n "$(git for-each-ref --contains "$mine")" ] || fail "the person's commit is lost"
echo "in the way:${bad:-}"
[ -z "${bad:-}" ] || fail 'branches in the way of integration and of a task are named, and the hint does not help'
pass 'each is avoided, or what is said helps'
