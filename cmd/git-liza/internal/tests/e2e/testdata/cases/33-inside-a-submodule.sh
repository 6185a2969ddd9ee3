#!/bin/sh
# The repository is itself a submodule, with core.worktree in its configuration.
. "$(dirname "$0")/lib.sh"
git config --global protocol.file.allow always
repo "$T/lib"
must git init -q "$T/super"
cd "$T/super" && git submodule --quiet add "$T/lib" lib && git commit -q -m lib
cd lib
[ -n "$(git config core.worktree)" ] || void 'no core.worktree'
board
task t1
echo 'echo hi >a.txt' | work
rush
worked t1
is MERGED t1 || fail "$(states t1)"
git -C "$T/super" status --short --ignore-submodules=none | grep -v ' lib$' && fail 'the repository above has changes'
pass merged
