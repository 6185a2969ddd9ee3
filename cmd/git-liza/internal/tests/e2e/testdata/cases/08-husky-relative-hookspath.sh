#!/bin/sh
# core.hooksPath is .husky/_, relative and not tracked, as npm install makes it. The project's check holds in worktrees.
. "$(dirname "$0")/lib.sh"
repo "$R"
mkdir -p .husky/_
echo '*' >.husky/_/.gitignore
printf '#!/bin/sh\n! grep -rq FORBIDDEN --include="*.txt" .\n' >.husky/pre-commit
printf '#!/bin/sh\nsh -e .husky/pre-commit\n' >.husky/_/pre-commit
chmod +x .husky/_/pre-commit .husky/pre-commit
commit husky
git config core.hooksPath .husky/_
board
task t1
work <<'W'
echo FORBIDDEN >a.txt
git add a.txt
git commit -q -m forbidden && : >"$T/skipped"
echo fine >a.txt
W
rush
worked t1
[ ! -e "$T/skipped" ] || fail "the project's hook was skipped in a worktree"
is MERGED t1 || fail "$(states t1)"
pass 'the hook refused what it forbids, and let the rest pass'
