#!/bin/sh
# A clone behind a link, one with ids of SHA-256, and one whose git directory lies elsewhere.
. "$(dirname "$0")/lib.sh"
echo 'echo hi >a.txt' | work
lives() { # NAME: is a task merged in this repository?
	board
	task t1
	rush
	is MERGED t1 || bad="${bad:-} $1"
}
repo "$R" && ln -s "$R" "$T/link" && cd "$T/link"
lives link
worked t1
must git init -q --object-format=sha256 "$T/long" && cd "$T/long" && seed
lives sha256
[ -z "${bad:-}" ] || fail "not merged:$bad"
mkdir "$T/apart" && must git init -q --separate-git-dir "$T/elsewhere" "$T/apart" && cd "$T/apart" && seed
if git liza init G --spec specs/vision.md >"$T/init.out" 2>&1; then
	once
	task t1
	rush
	is MERGED t1 || fail 'a board is begun where the git directory lies elsewhere, and nobody can work there'
fi
pass 'all merged, or refused at once'
