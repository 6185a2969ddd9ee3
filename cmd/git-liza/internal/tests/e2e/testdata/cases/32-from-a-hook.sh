#!/bin/sh
# Called from a hook of git's, by rebase --exec and with GIT_DIR set, it touches no index and no work tree of others.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
cat >.git/hooks/post-commit <<'H'
#!/bin/sh
git liza claim t1 --as coder-1 >"$T/claim.out" 2>&1
H
chmod +x .git/hooks/post-commit
echo one >one && git add one
echo two >two && git add two
git commit -q -m 'only one' -- one
moved 'claim t1' || void 'nothing was claimed in the hook'
reached 'a claim in a hook'
[ "$(git diff --cached --name-only)" = two ] || fail "the person's index is not as it was"
[ -z "$(git -C .worktrees/t1 status --porcelain)" ] || fail 'the new worktree is not clean'
git rebase -q --exec 'git liza status' HEAD~1 --autostash >"$T/rebase.out" 2>&1 || fail 'it fails below git rebase --exec'
cd .worktrees/t1 && echo hi >a && git add a
GIT_DIR="$R/.git/worktrees/t1" GIT_WORK_TREE="$PWD" git liza list >"$T/list.out" 2>&1 || fail 'it fails with GIT_DIR'
[ "$(git diff --cached --name-only)" = a ] || fail "the worktree's index is not as it was"
pass 'nothing of others was touched'
