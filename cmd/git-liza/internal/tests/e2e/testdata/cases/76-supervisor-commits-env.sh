#!/bin/sh
# Supervisors commit for a program that cannot. A file of secrets that the set-up left neither gets in nor stops the work.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo 'API=top-secret-value' >.env
board
once
set_up 'cp "$LIZA_CLONE/.env" .env'
supervised <<'A'
cat >/dev/null
if [ "$LIZA_ROLE" = code-reviewer ]; then printf '```liza\nverdict: approve\n```\n'; exit 0; fi
echo hi >a.txt
: >"$T/ran-t1"
printf '```liza\nsummary: write a\nvalidation: look\n```\n'
A
task t1
rush
began t1
reachable top-secret-value && fail 'the secret is in an object of a ref'
is MERGED t1 || fail 'a file of secrets that the set-up left stops what the supervisor commits'
pass 'merged without it'
