#!/bin/sh
# The person cleans the main work tree while an agent works below it.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
claimed t1
echo half >.worktrees/t1/half
git clean -q -fdx
[ -f .worktrees/t1/half ] || fail 'git clean -fdx removes the worktree of an agent at work'
git clean -q -ffdx
git liza claim t1 --as coder-1 >"$T/claim.out" 2>&1 && [ -d .worktrees/t1/specs ] || fail 'the holder does not get its worktree again'
pass 'spared, and after -ffdx made again'
