# The board of the attack stories: who may do what, and a task in each state.
#
#   task-1 MERGED                          task-5 CLAIMED by coder-1
#   task-2 APPROVED                        task-6, task-8 UNCLAIMED
#   task-3 READY_FOR_REVIEW, in review     task-7 READY_FOR_REVIEW, by coder-7 of host1,
#   task-4 READY_FOR_REVIEW                who has the roles coder and code-reviewer
#
# It is made in one clone by everybody in turn, and brought to the server by its
# operator, so that the stories depend on nothing but the judgement.
set -eu

be() { git config liza.principal "$1"; git config user.name "$1"; }

code() { # PRINCIPAL AGENT TASK
	be "$1"
	git liza claim "$3" --as "$2"
	git liza intent "$3" --as "$2" --summary S --validation V
	echo "$3" >".worktrees/$3/$3.txt"
	git -C ".worktrees/$3" add -A
	git -C ".worktrees/$3" commit -q -m "$3"
	git liza submit "$3" --as "$2"
}

review() { # TASK
	be reviewer
	git liza review "$1" --as code-reviewer-1
}

approve() { # TASK
	review "$1"
	git liza approve "$1" --as code-reviewer-1 --commit "$(git rev-parse "liza/$1")"
}

git init -q --bare -b main "$SERVER"
git -C "$SERVER" config http.receivepack true
git -C "$SERVER" config liza.server.userEnv LIZA_USER

git init -q -b main work
cd work
git config user.email stage@example.org
for who in alice coder reviewer merger host1; do
	git config "liza.principal.$who.key" "$KEYS/$who"
done
be alice
mkdir specs
echo '# A small product' >specs/vision.md
git add -A
git commit -q -m 'A spec'
git liza init
git liza principal add alice --kind human --agent human:alice --right admin --user alice --key "$KEYS/alice.pub"
git liza principal add coder --kind machine --user coder --key "$KEYS/coder.pub" --role coder
git liza principal add reviewer --kind machine --user reviewer --key "$KEYS/reviewer.pub" --role code-reviewer
git liza principal add merger --kind machine --user merger --key "$KEYS/merger.pub" --role planner --right merge
git liza principal add host1 --kind machine --user host1 --key "$KEYS/host1.pub" --role coder,code-reviewer
for n in 1 2 3 4 5 6 7 8; do
	echo "- {title: Task $n, done_when: D, spec: specs/vision.md, scope: S, kind: docs}"
done | git liza task add --from -

code coder coder-1 task-1
approve task-1
be merger
git liza merge task-1 --as planner-1
code coder coder-1 task-2
approve task-2
code coder coder-1 task-3
review task-3
code coder coder-1 task-4
code host1 coder-7 task-7
be coder
git liza claim task-5 --as coder-1
rm -r .worktrees/task-5 .git/worktrees/task-5
git branch -D -q liza/task-5
git fsck --strict --no-dangling

git -C "$SERVER" fetch -q "$PWD" '+refs/liza/*:refs/liza/*' '+refs/heads/*:refs/heads/*'
git -C "$SERVER" liza hooks install --server
