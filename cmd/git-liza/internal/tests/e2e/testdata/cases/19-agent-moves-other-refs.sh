#!/bin/sh
# An agent cleans up what is not its own: branches, tags, notes; and it replaces a commit.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo two >two
commit two
git branch wip
git tag v1
git notes add -m n HEAD
board
task t1
task t2
theirs() { git for-each-ref --format='%(refname) %(objectname)' refs/heads/main refs/heads/wip refs/tags refs/notes refs/replace; }
before=$(theirs)
work <<'W'
git branch -D wip
git tag -d v1
git notes remove
git replace $(git rev-parse HEAD) $(git rev-parse HEAD~1)
git update-ref refs/heads/main HEAD~1
echo hi >$LIZA_TASK.txt
W
rush
began t1
[ "$(theirs)" = "$before" ] || fail "a session's changes to the person's branches, tags, notes and replacements stay, and no line says so"
pass 'all is as it was'
