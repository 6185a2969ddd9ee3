# The board of the attack stories: who may do what, and a task in each state.
#
#   task-1 MERGED                          task-5 CLAIMED by coder-1
#   task-2 APPROVED                        task-6, task-8 UNCLAIMED
#   task-3 READY_FOR_REVIEW, in review     task-7 READY_FOR_REVIEW, by coder-7 of host1,
#   task-4 READY_FOR_REVIEW                who has the roles coder and code-reviewer
set -eu

hire() {
	git clone -q -c core.sshCommand="$SSH/$1'" -c user.name="$1" -c user.email="$1@example.org" \
		-c liza.principal="$1" -c "liza.principal.$1.key=$KEYS/$1" "$URL" "$1"
	[ "$1" = alice ] || git -C "$1" liza sync --set origin
}

code() {
	cd "$1"
	git liza claim "$3" --as "$2"
	git liza intent "$3" --as "$2" --summary S --validation V
	echo "$3" >".worktrees/$3/$3.txt"
	git -C ".worktrees/$3" add -A
	git -C ".worktrees/$3" commit -q -m "$3"
	git liza submit "$3" --as "$2"
	cd ..
}

approve() {
	git -C reviewer liza review "$1" --as code-reviewer-1
	git -C reviewer liza approve "$1" --as code-reviewer-1 --commit "$(git -C "$SERVER" rev-parse "liza/$1")"
}

git init -q --bare "$SERVER"
git -C "$SERVER" config http.receivepack true
git -C "$SERVER" config liza.server.userEnv LIZA_USER
git -C "$SERVER" liza hooks install --server

hire alice
cd alice
mkdir specs
echo '# A small product' >specs/vision.md
git add -A
git commit -q -m 'A spec'
git push -q origin HEAD:refs/heads/main
git liza init --remote origin --admin alice
git liza principal add coder --kind machine --user coder --key "$KEYS/coder.pub" --role coder
git liza principal add reviewer --kind machine --user reviewer --key "$KEYS/reviewer.pub" --role code-reviewer
git liza principal add merger --kind machine --user merger --key "$KEYS/merger.pub" --role planner --right merge
git liza principal add host1 --kind machine --user host1 --key "$KEYS/host1.pub" --role coder --role code-reviewer
for n in 1 2 3 4 5 6 7 8; do
	echo "- {title: Task $n, done_when: D, spec: specs/vision.md, scope: S, kind: docs}"
done | git liza task add --from -
cd ..

for who in coder reviewer merger host1; do
	hire "$who"
done
code coder coder-1 task-1
approve task-1
git -C merger liza merge task-1 --as planner-1
code coder coder-1 task-2
approve task-2
code coder coder-1 task-3
git -C reviewer liza review task-3 --as code-reviewer-1
code coder coder-1 task-4
git -C coder liza claim task-5 --as coder-1
code host1 coder-7 task-7
