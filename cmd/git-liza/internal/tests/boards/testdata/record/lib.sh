# What the stories share; each sources it.

# at TIME sets the clock: the board's and that of git.
at() {
	export LIZA_NOW="2026-01-$1:00Z" GIT_AUTHOR_DATE="2026-01-$1:00Z" GIT_COMMITTER_DATE="2026-01-$1:00Z"
}

# fails COMMAND... runs a command that makes its move and reports a setback.
fails() {
	code=0
	"$@" || code=$?
	test $code = 1
}

# checkout TASK prints the folder of the task's branch.
checkout() {
	git worktree list --porcelain | awk -v "branch=branch refs/heads/liza/$1" '/^worktree / { dir = substr($0, 10) } $0 == branch { print dir }'
}

# write TASK FILE... commits files on the branch of a task.
write() {
	(
		cd "$(checkout "$1")"
		shift
		for file; do
			mkdir -p "$(dirname "$file")"
			echo "${TEXT-text}" >"$file"
		done
		git add -A
		git commit -q -m "Write"
	)
}

# work TASK AGENT FILE... claims a task, writes files and submits them.
work() {
	git liza claim "$1" --as "$2"
	git liza intent "$1" --as "$2" --summary 'Write it' --validation 'Read it' --tests-not-needed 'words only'
	(task=$1 && shift 2 && write "$task" "$@")
	git liza submit "$1" --as "$2"
}

approve() {
	git liza review "$1" --as "$2"
	git liza approve "$1" --as "$2" --commit "$(git rev-parse "liza/$1")" --message 'Well done'
}

# amend DOC EXPRESSION amends a document with sed.
amend() {
	GIT_EDITOR="sed -i -e '$2'" git liza board edit "$1"
}

# add TASK ARGUMENT... adds a task.
add() {
	task=$1
	shift
	git liza task add "$task" --title "The $task" --done-when D --spec specs/vision.md#parts --scope S --kind docs "$@"
}

# merged TASK does a task and merges it.
merged() {
	work "$1" coder-1 "$1.txt"
	approve "$1" code-reviewer-1
	git liza merge "$1" --as code-reviewer-1
}
