#!/bin/sh
# An install in a session overwrites the clone's hooks and sets core.hooksPath. The board's own hold.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
task t2
work <<'W'
hooks=$(git rev-parse --git-path hooks)
for hook in pre-commit pre-push reference-transaction; do
	printf '#!/bin/sh\nexit 0\n' >"$hooks/$hook"
	chmod +x "$hooks/$hook"
done
mkdir -p .husky/_
echo '*' >.husky/_/.gitignore
git config core.hooksPath .husky/_
echo hi >$LIZA_TASK.txt
W
rush
worked t1 t2
evil=$(git commit-tree -p integration -m evil 'integration^{tree}')
git update-ref refs/heads/integration "$evil" 2>"$T/refused.out" && fail 'hooks that a session installed let integration be moved by hand'
is MERGED t1 t2 || fail "$(states t1 t2)"
pass 'the hooks of the board are where they were'
