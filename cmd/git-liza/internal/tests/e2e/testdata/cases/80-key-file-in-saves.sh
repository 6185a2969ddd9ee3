#!/bin/sh
# Work by hand is given up while private keys lie untracked in its worktree. They stay on this machine.
. "$(dirname "$0")/lib.sh"
hub
board --remote origin
task t1
must git liza claim t1 --as coder-1
mkdir -p .worktrees/t1/deploy
echo PEM-top-secret >.worktrees/t1/deploy/server.pem
echo KEY-top-secret >.worktrees/t1/id_ed25519
echo half >.worktrees/t1/half.txt
must git liza release t1 --as coder-1
must git liza task abandon t1 --reason 'not now'
git -C "$T/hub.git" cat-file -e refs/liza/saved/t1/1:half.txt 2>/dev/null || void 'the work was not saved on the remote'
reached 'the work is saved on the remote'
cd "$T/hub.git"
reachable top-secret && fail 'private keys that lay in a worktree are saved and pushed'
cd "$R"
reachable top-secret && fail 'private keys that lay in a worktree are saved'
pass 'saved without them'
