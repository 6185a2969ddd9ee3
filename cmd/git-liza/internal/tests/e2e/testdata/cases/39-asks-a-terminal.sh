#!/bin/sh
# An agent asks a question on the terminal, where nobody answers it. It does not wait for ever.
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip 'needs script(1)'
repo "$R"
board
task t1
git config liza.idle 4s
work <<'W'
{ printf 'Do you trust this folder? [y/N] ' >/dev/tty; read answer </dev/tty; echo "answer: $answer"; } 2>&1
echo hi >a.txt
W
mkfifo "$T/keys"
exec 9<>"$T/keys" # a terminal on which nobody types
timeout 100 script -qec "git liza rush --until-idle --planners 0 --coders 1 --reviewers 1 --provider \"exec:T='$T' R='$R' sh '$T/agent.sh'\"" /dev/null <&9 >"$T/rush.out" 2>&1
code=$?
worked t1
[ $code != 124 ] || fail 'the rush hangs'
is MERGED t1 || fail "$(states t1)"
pass 'there was no terminal to ask'
