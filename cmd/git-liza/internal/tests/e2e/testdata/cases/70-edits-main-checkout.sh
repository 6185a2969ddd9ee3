#!/bin/sh
# An agent edits the main work tree instead of its own, by an absolute path. The person hears of it.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo a >f
commit f
board
task t1
work <<'W'
echo leaked >>"$R/f"
echo new >"$R/stray.txt"
echo hi >a.txt
W
rush
worked t1
[ -z "$(git status --porcelain)" ] && pass 'the main work tree is as it was'
grep -q 'stray.txt' "$T/rush.out" && pass 'the rush says it'
git liza inbox 2>/dev/null | grep -q 'stray.txt' && pass 'the inbox says it'
fail "a session changes the person's work tree, and no line says so"
