#!/bin/sh
# A coder amends after the submission and moves its branch after the approval. What was approved is merged.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
code t1 coder-1 'echo good >a'
good=$(git rev-parse refs/heads/liza/t1)
(cd .worktrees/t1 && echo evil >a && LIZA_AGENT_ID=coder-1 git commit -qa --amend -m evil) >"$T/amend.out" 2>&1
must git liza review t1 --as code-reviewer-1
[ "$(cat .worktrees/review@t1@1/a)" = good ] || fail 'the reviewer sees what was not submitted'
must git liza approve t1 --as code-reviewer-1 --commit "$(git -C .worktrees/review@t1@1 rev-parse HEAD)"
(cd .worktrees/t1 && git commit -q --allow-empty -m late; git branch -f liza/t1 main) >"$T/late.out" 2>&1
git liza merge t1 >"$T/merge.out" 2>&1
moved 'merge t1' || void 't1 was not merged'
reached 't1 was merged'
[ "$(git show integration:a)" = good ] && git merge-base --is-ancestor "$good" integration || fail 'what was not approved is merged'
pass 'exactly what was approved is merged'
