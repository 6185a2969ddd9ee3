#!/bin/sh
# The remote takes no merge commits on integration. That is said, nothing is lost, and it is not asked for ever.
. "$(dirname "$0")/lib.sh"
hub
board --remote origin
cat >"$T/hub.git/hooks/pre-receive" <<'H'
#!/bin/sh
while read old new ref; do
	[ "$ref" = refs/heads/integration ] || continue
	echo try >>"$T/tries"
	[ -z "$(git rev-list --min-parents=2 $old..$new)" ] || { echo 'Rule violations found: no merge commits here.' >&2; exit 1; }
done
H
chmod +x "$T/hub.git/hooks/pre-receive"
task t1
echo 'echo hi >a.txt' | work
tries() { cat "$T/tries" 2>/dev/null | wc -l; }
over() { ended $rush || [ "$(tries)" -gt 10 ]; }
rush &
rush=$!
until_true 200 over
kill $rush 2>/dev/null
[ "$(tries)" -gt 0 ] || void 'no merge was pushed'
worked t1
[ "$(tries)" -le 10 ] || fail 'what the remote declines for good is pushed again and again'
grep -q 'no merge commits' "$T/rush.out" || fail 'what the remote said is not shown'
git fetch -q origin refs/liza/state && [ "$(git rev-parse FETCH_HEAD)" = "$(git rev-parse refs/liza/state)" ] || fail "the board is not the remote's"
pass "said; $(tries) pushes"
