#!/bin/sh
# CHANGELOG.md merge=union in .gitattributes: two tasks that add a line at the same place do not conflict.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo 'CHANGELOG.md merge=union' >.gitattributes
printf '# Changes\n\n' >CHANGELOG.md
commit changelog
board
for t in t1 t2; do
	task $t
	code $t coder-${t#t} "echo '* by $t' >>CHANGELOG.md"
done
must git worktree add -q --detach "$T/plain" liza/t1
(cd "$T/plain" && git merge -q liza/t2 >/dev/null 2>&1) || void 'git itself has a conflict'
for t in t1 t2; do
	approve $t
	git liza merge $t >>"$T/merge.out" 2>&1
done
moved 'merge t1' || void 't1 was not merged'
reached 'the first of two was merged'
is MERGED t2 || fail 'attributes are off in a merge: lines that merge=union puts together conflict'
[ "$(git show integration:CHANGELOG.md | grep -c '^\* by')" = 2 ] || fail 'a line is missing'
pass 'both lines are there'
