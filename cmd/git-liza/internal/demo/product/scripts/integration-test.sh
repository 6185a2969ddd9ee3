#!/bin/sh
# Runs every test of the product; one that fails fails the whole.
set -u
cd "$(dirname "$0")/.." || exit 1
count=0 failed=0
for test in tests/*.sh; do
	[ -e "$test" ] || break
	count=$((count + 1))
	if out=$(sh "$test" 2>&1); then
		echo "ok   $test"
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n%s\n' "$test" "$out"
	fi
done
echo "$count test files, $failed failed"
[ "$failed" -eq 0 ]
