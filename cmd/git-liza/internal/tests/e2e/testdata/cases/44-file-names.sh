#!/bin/sh
# Names that files have: both normal forms, blanks, quotes, a leading dash, brackets, very long ones.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1 --owns 'dir with blank/**' --owns 'ünï/**' --owns 'app/[[]id]/**' --owns '*' --owns 'long/**'
work <<'W'
mkdir -p 'dir with blank' ünï 'app/[id]' long
for f in 'dir with blank/a b.txt' 'ünï/é.txt' "$(printf 'e\314\201.txt')" 'app/[id]/page.tsx' ./-rf "it's" "long/$(printf '%0200d' 0)" '#hash' 日本語 '~'; do
	echo x >"$f"
done
W
rush
worked t1
is MERGED t1 || fail "$(states t1)"
[ "$(git ls-tree -r -z --name-only integration | tr -cd '\0' | wc -c)" = 11 ] || fail 'not all ten are there'
git liza show t1 --patch >"$T/patch.out" 2>&1 || fail 'the patch is not shown'
git liza show t1 --json | json || fail 'no JSON'
pass 'ten odd names are merged and shown'
