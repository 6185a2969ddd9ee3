#!/bin/sh
# A commit-msg hook wants a form. What git liza commits itself passes it, or the agent hears why it does not.
. "$(dirname "$0")/lib.sh"
repo "$R"
cat >.git/hooks/commit-msg <<'H'
#!/bin/sh
head -1 "$1" | grep -Eq '^(feat|fix|docs|chore): .' && exit 0
echo "commitlint: not conventional: $(head -1 "$1")" >&2
exit 1
H
chmod +x .git/hooks/commit-msg
board
soon
supervised <<'A'
prompt=$(cat)
if [ "$LIZA_ROLE" = code-reviewer ]; then printf '```liza\nverdict: approve\n```\n'; exit 0; fi
summary='write a'
case $prompt in *commitlint*) summary='feat: write a' && : >"$T/heard" ;; esac
echo hi >a.txt
: >"$T/ran-t1"
printf '```liza\nsummary: "%s"\nvalidation: look\n```\n' "$summary"
A
task t1
rush
worked t1
[ -e "$T/heard" ] || fail "the agent does not hear what the project's hook said"
is MERGED t1 || fail "$(states t1)"
pass 'refused, heard, and merged'
