#!/bin/sh
# An agent leaves its session, its folder and its environment, and kills its guard. What it begins then
# descends from no session that anybody finds, and acts as a reviewer and as a person.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
echo 'echo x >a.txt' | work
cat >"$T/leaves.sh" <<P
cd /
echo x >$T/payload
sleep 0.5
kill -KILL \$1
until [ -e $T/ended ]; do sleep 0.2; done
cd $R
{ $(judges t1)
git liza approve t1 --commit \$(git rev-parse refs/heads/liza/t1)
git liza record dismiss sprint-1/1 --reason fine; } >$T/left.out 2>&1
echo x >$T/over
P
after <<W
guard=\$\$
while ! tr '\0' ' ' </proc/\$guard/cmdline | grep -q '^git-liza: guard'; do
	[ \$guard -gt 1 ] || exit 1
	guard=\$(sed 's/.*) //' /proc/\$guard/stat | cut -d ' ' -f 2)
done
(setsid env -i PATH="$PATH" HOME="$HOME" sh $T/leaves.sh \$guard >/dev/null 2>&1 &)
sleep 20
W
reviewers=0 rush
echo x >"$T/ended" # whoever it was can be told by nothing then
worked t1
[ -e "$T/payload" ] || void 'nobody left'
until_true 60 test -e "$T/over" || void 'what left has ended too'
verdict_stands t1 && fail 'an agent that kills its guard is nobody: it approves its own work'
[ "$(grep -c '^rule: doubt' "$T/left.out")" = 3 ] || fail 'what left is refused for other reasons'
grep -q 'the guard of its session on t1 was killed' "$T/rush.out" || fail 'rush does not say that a guard was killed'
git liza inbox >"$T/inbox.out"
grep -q 'git liza record dismiss sprint-1/1' "$T/inbox.out" || fail 'nobody is asked to look'
pass 'the verdict was refused'
