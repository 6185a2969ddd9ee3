#!/bin/sh
# The set-up copies a file of secrets into each worktree. A session fails and its work is saved: the secret stays here.
. "$(dirname "$0")/lib.sh"
hub
echo 'API=top-secret-value' >.env
board --remote origin
once
set_up 'cp "$LIZA_CLONE/.env" .env'
task t1
work <<'W'
test -f .env && echo half >half.txt && : >"$T/ran-t1"
exit 1
W
rush
git liza task abandon t1 --reason x >"$T/abandon.out" 2>&1
git -C "$T/hub.git" cat-file -e refs/liza/saved/t1/1:half.txt 2>/dev/null || void 'the work was not saved on the remote'
began t1
cd "$T/hub.git"
reachable top-secret-value && fail 'a file of secrets that lay in a worktree is saved and pushed'
cd "$R"
reachable top-secret-value && fail 'a file of secrets that lay in a worktree is saved'
pass 'saved without it'
