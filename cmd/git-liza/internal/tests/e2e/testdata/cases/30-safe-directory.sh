#!/bin/sh
# The repository is another user's, as in a container. Every command names what git asks for; with it all works.
. "$(dirname "$0")/lib.sh"
repo "$R"
export GIT_TEST_ASSUME_DIFFERENT_OWNER=1
git status >/dev/null 2>&1 && void 'git asks for nothing'
for look in 'init G --spec specs/vision.md' status doctor 'task add x'; do
	git liza $look >"$T/look.out" 2>&1
	grep -q safe.directory "$T/look.out" || silent="${silent:-} [$look]"
done
git config --global --add safe.directory "$R"
board
task t1
claimed t1
[ -z "${silent:-}" ] || fail "safe.directory is not named by$silent"
pass 'every command names safe.directory'
