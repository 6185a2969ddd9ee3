#!/bin/sh
# What an agent prints: NUL, no UTF-8, terminal sequences, a line of 8 MB, 11 MB in all. Records and looks go on.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
work <<'W'
printf 'nul \000 bad \377\376 latin \351 esc \033[2J\033]0;title\007 cr\rover\n'
head -c 8000000 /dev/zero | tr '\0' x
echo
yes 'a line of text that is not short' | head -c 3000000
printf '\033[?1049h\033[31m'
echo hi >a.txt
W
escape=$(printf '\033')
rush --follow all
worked t1
is MERGED t1 || fail "$(states t1)"
[ "$(wc -c <.git/liza/log/coder-1.log)" -le 2200000 ] || fail 'the log has no bound'
grep -qa "$escape\\[2J" "$T/rush.out" && fail 'the rush hands sequences of an agent to the terminal'
git liza session show coder-1 --output >"$T/session" 2>&1
[ -s "$T/session" ] || fail 'the session is not shown'
grep -qa "$escape" "$T/session" && fail 'session show hands sequences on'
git liza session show coder-1 --json | json || fail 'the session is no JSON'
git liza fsck --full >"$T/fsck.out" 2>&1 || fail 'the history is unsound'
rm "$T/rush.out"
pass 'bounded, and harmless to a terminal'
