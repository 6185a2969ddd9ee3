#!/bin/sh
# The person works in a folder of a worktree of their own, and starts everything there.
. "$(dirname "$0")/lib.sh"
repo "$R"
mkdir -p pkg/a && echo x >pkg/a/x && echo '# A' >pkg/a/spec.md
mkdir -p pkg/a/specs && cp specs/vision.md pkg/a/specs
commit pkg
must git worktree add -q "$T/feature" -b feature
cd "$T/feature/pkg/a"
board
must git liza task add t1 --title t --done-when d --spec ./spec.md --scope s --kind docs
work <<'W'
git status --porcelain >"$T/status"
echo hi >pkg/a/y
W
rush
worked t1
[ ! -s "$T/status" ] || fail "the agent's worktree is not clean"
is MERGED t1 || fail "$(states t1)"
[ -z "$(git -C "$T/feature" status --porcelain)$(git -C "$R" status --porcelain)" ] || fail 'a work tree of the person is not clean'
pass merged
