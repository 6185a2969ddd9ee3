#!/bin/sh
# The task's check and a gate at submission need what the set-up installs.
. "$(dirname "$0")/lib.sh"
repo "$R"
echo node_modules >.gitignore
commit ignore
board
once
set_up 'mkdir -p node_modules && echo ok >node_modules/dep'
must git liza config gates.test.command 'test -f node_modules/dep'
must git liza config gates.test.at submit
task t1 --verify 'test -f node_modules/dep'
echo 'echo hi >a.txt' | work
rush
began t1
is MERGED t1 || fail 'a gate runs in a checkout without a set-up, and fails where the check of the task passes'
pass 'both run where the set-up ran'
