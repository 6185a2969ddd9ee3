#!/bin/sh
# A move that is dated far ahead comes to the board of a clone. Others go on, or are told how to.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
work <<'W'
git liza note end --for all || exit 1
cd "$LIZA_CLONE" || exit 1
tip=$(git rev-parse refs/liza/state)
git log -1 --format=%s | grep -q note
# The same note once more, dated at the end of time: its documents, its tree, its commit.
export GIT_INDEX_FILE="$T/index"
git read-tree $tip
note=$(git diff-tree -r --no-commit-id --name-only --diff-filter=A $tip -- notes)
last=$(basename "$note" .yaml)
id=$((last + 1))
blob() { git hash-object -w --stdin; }
git cat-file blob "$tip:$note" | sed "s/^at: .*/at: 9999-12-31T23:59:00Z/; s,^\(id: .*\)/$last\$,\1/$id," >"$T/note"
git cat-file blob "$tip:liza.yaml" | sed "s/^  record: $id\$/  record: $((id + 1))/" >"$T/liza.yaml"
git update-index --add --cacheinfo "100644,$(blob <"$T/note"),$(dirname "$note")/$id.yaml" --cacheinfo "100644,$(blob <"$T/liza.yaml"),liza.yaml"
{
	echo tree $(git write-tree)
	echo parent $tip
	git cat-file commit $tip | sed -n '/^author\|^committer/s/ [0-9]* +0000$/ 253402300740 +0000/p'
	echo
	git cat-file commit $tip | sed '1,/^$/d; s/^at: .*/at: 9999-12-31T23:59:00Z/; s/^request: .*/request: 0123456789abcdef/'
} >"$T/commit"
git update-ref refs/liza/state "$(git hash-object -t commit -w "$T/commit")" >"$T/update-ref.out" 2>&1
git rev-parse refs/liza/state
unset GIT_INDEX_FILE
: >"$T/ran-t1"
exit 0
W
bound=60 reviewers=0 rush
began t1
git liza note 'is anybody there' --for all >"$T/note.out" 2>&1 && pass 'the board goes on'
git liza doctor --restore >"$T/doctor.out" 2>&1
git liza note 'and now' --for all >"$T/note.out" 2>&1 || fail 'one move that is dated ahead ends a board, and no command begins it again'
pass 'doctor finds a way out'
