#!/bin/sh
# A pre-push hook of the user's that runs long, or fails: moves are pushes too, and do not run it.
. "$(dirname "$0")/lib.sh"
hub
printf '#!/bin/sh\necho run >>%s/runs\nexit 1\n' "$T" >.git/hooks/pre-push
chmod +x .git/hooks/pre-push
board --remote origin
git push -q origin main:elsewhere 2>/dev/null && void 'the hook lets a push of the person pass'
before=$(wc -l <"$T/runs")
task t1
echo 'echo hi >a.txt' | work
rush
worked t1
is MERGED t1 || fail "$(states t1) with a failing pre-push hook"
holds a.txt "$(git -C "$T/hub.git" rev-parse refs/heads/integration)" || fail 'the remote has no merge'
runs=$(($(wc -l <"$T/runs") - before))
[ $runs -le 1 ] || fail "the hook ran $runs times for one task"
pass "merged; the hook ran $runs times"
