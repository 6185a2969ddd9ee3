#!/bin/sh
# Submodules that the set-up fills; an agent moves one on. The worktrees go when their tasks are merged.
. "$(dirname "$0")/lib.sh"
git config --global protocol.file.allow always
git init -q "$T/lib"
cd "$T/lib" && echo 1 >l && commit 1 && echo 2 >l && commit 2
repo "$R"
git submodule --quiet add "$T/lib" lib && git -C lib checkout -q HEAD~1 && commit lib
board
set_up 'git -c protocol.file.allow=always submodule update --init'
task t1
task t2
work <<'W'
test -f lib/l || exit 1
if [ $LIZA_TASK = t1 ]; then git -C lib checkout -q main; else echo x >other; fi
W
rush
worked t1 t2
is MERGED t1 t2 || fail "$(states t1 t2)"
[ "$(git rev-parse integration:lib)" = "$(git -C "$T/lib" rev-parse main)" ] || fail 'the submodule has not moved on integration'
ls -A .worktrees | grep . && fail 'checkouts with a submodule stay for ever'
[ "$(git worktree list | wc -l)" = 1 ] || fail 'worktrees with a submodule stay registered'
pass 'filled, moved on, merged, removed'
