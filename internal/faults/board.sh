# Begins every board: a repository with a spec in the current folder. Then come steps that
# several of them take.
set -eu
git init -q -b main .
git config user.name 'Ann Example'
git config user.email ann@example.org
git config commit.gpgSign false
git config gc.auto 0
git config maintenance.auto false
mkdir specs
echo '# A small product' >specs/vision.md
git add -A
git commit -q -m 'A spec'
git liza init

# add TITLE FLAG...: adds a task.
add() {
	title=$1
	shift
	git liza task add --title "$title" --done-when 'docs/ says so' --spec specs/vision.md --scope 'docs/ only' --kind docs "$@"
}

# submit TASK CODER: the coder does the task and submits it.
submit() {
	git liza claim "$1" --as "$2"
	git liza intent "$1" --as "$2" --summary 'Say so' --validation 'Read it'
	echo "$1" >".worktrees/$1/$1.txt"
	git -C ".worktrees/$1" add -A
	git -C ".worktrees/$1" commit -q -m "Say what $1 asks for"
	git liza submit "$1" --as "$2"
}
