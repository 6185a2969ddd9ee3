#!/bin/sh
# An agent leaves its session and kills its guard. What it begins then descends from no session.
. "$(dirname "$0")/lib.sh"
repo "$T/r"
board
task t1
echo 'echo x >a.txt' | work
cat >"$T/leaves.sh" <<P
echo x >$T/payload
sleep 0.5
kill -KILL \$1
until [ -e $T/ended ]; do sleep 0.2; done
cd $T/r
$(judges t1)
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
until_true 60 test -e "$T/over"
verdict_stands t1 && fail 'an agent that kills its guard is nobody: it approves its own work'
pass 'the verdict was refused'
