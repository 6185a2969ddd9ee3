#!/bin/sh
# GIT_DIR=… git init in a worktree sets core.bare for the whole clone. The person and other agents go on.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
once
task t1
task t2
work <<'W'
GIT_DIR="$(git rev-parse --absolute-git-dir)" git init -q
echo hi >$LIZA_TASK.txt
W
rush
began t1
git -C "$R" status --porcelain >/dev/null 2>&1 || fail 'core.bare, which a session sets, stays: no command works in the main work tree'
is MERGED t1 t2 || fail "$(states t1 t2)"
pass 'core.bare was put back'
