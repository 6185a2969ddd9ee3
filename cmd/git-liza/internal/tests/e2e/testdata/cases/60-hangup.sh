#!/bin/sh
# The terminal is closed while an agent works. Its session ends, its claim goes back, and the next rush goes on.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
echo 'echo $$ >"$T/pid"; sleep 200' | work
git-liza rush --until-idle --planners 0 --coders 1 --reviewers 1 --provider "exec:T='$T' R='$R' sh '$T/agent.sh'" >"$T/hangup.out" 2>&1 &
rush=$!
begun() { [ -s "$T/pid" ] || ended $rush; }
until_true 60 begun
[ -s "$T/pid" ] || void 'no agent began'
kill -HUP $rush
until_true 30 ended $rush || fails='the rush lives on'
until_true 10 ended "$(cat "$T/pid")" || fails='the agent lives on'
echo 'echo hi >a' | work
rush
worked t1
[ -z "${fails:-}" ] || fail "$fails"
is MERGED t1 || fail "$(states t1)"
pass 'ended in order, and the next rush goes on'
