#!/bin/sh
# All worktrees share one stash: an agent that pops gets and drops nobody else's.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo base >base.txt
commit base
board
task t1
echo precious >>base.txt
git stash push -q -m "the person's"
before=$(git rev-parse refs/stash)
work <<'W'
git stash -q
git stash pop -q
echo hi >a.txt
W
rush
worked t1
git show integration:base.txt | grep -q precious && fail "a session's git stash pop takes what the person stashed, and it is merged"
[ "$(git rev-parse -q --verify refs/stash)" = "$before" ] || fail "a session drops the person's stash"
pass 'the stash is where it was'
