# The set-up of the attacks on work that two roles judge: in $WORK a server with hooks,
# a host without, a clone of the host, and the repository of the attackers, who all use
# it in turn. The host and its clone follow the server's board by sync.
#
#   task-1  submitted by coder-1; code-reviewer-1 has approved it, security-reviewer-1
#           reviews it, who is sam's
#   task-2  submitted by coder-1, to be judged by gates too, for which no person stands
#   task-3  approved by both
set -eu
be() { git config liza.principal "$1"; export FRONT_USER="$1"; }
code() {
	be carl
	git liza claim "$1" --as coder-1
	git liza intent "$1" --as coder-1 --summary S --validation V
	echo "$1" >".worktrees/$1/$1.txt"
	git -C ".worktrees/$1" add -A
	git -C ".worktrees/$1" commit -q -m "$1"
	git liza submit "$1" --as coder-1
}
review() { # PRINCIPAL TASK AGENT
	be "$1"
	git liza review "$2" --as "$3"
}
approve() { # PRINCIPAL TASK AGENT
	review "$@"
	git liza approve "$2" --as "$3" --commit "$(git rev-parse "liza/$2")"
}

git init -q --bare --initial-branch=main ../server.git
git init -q --bare --initial-branch=main ../host.git
git -C ../server.git liza hooks install --server
git -C ../server.git config liza.server.userEnv FRONT_USER
git remote add origin "$PWD/../server.git"
git remote add host "$PWD/../host.git"
be ann
git liza principal add ann --kind human --agent 'human:*' --user ann
git liza principal add carl --kind machine --role coder --user carl
git liza principal add rita --kind machine --role code-reviewer --user rita
git liza principal add sam --kind machine --role security-reviewer --user sam
git liza principal add mel --kind human --agent human:mel --right merge --user mel
git liza role require security-reviewer
for review_by in '' ', review_by: [gates]' ''; do
	echo "- {title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs$review_by}"
done | git liza task add --from -
code task-1
approve rita task-1 code-reviewer-1
code task-2
code task-3
approve rita task-3 code-reviewer-1
approve sam task-3 security-reviewer-1
review sam task-1 security-reviewer-1
be ann
refs="refs/liza/state refs/heads/main refs/heads/integration refs/heads/liza/* refs/liza/saved/* refs/liza/marks/*"
for ref in $refs; do set -- "$@" "$ref:$ref"; done
git push -q --atomic origin "$@"
git push -q --atomic host "$@"
git clone -q ../host.git ../clone
git -C ../clone liza sync --set origin
