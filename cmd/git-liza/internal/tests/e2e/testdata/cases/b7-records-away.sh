#!/bin/sh
# An agent moves the records of guards away and acts from a namespace of processes of its own.
. "$(dirname "$0")/lib.sh"
unshare -Urpf --mount-proc true 2>/dev/null || skip 'needs namespaces of users'
repo "$R"
board
task t1
echo 'echo x >a.txt' | work
after <<W
records=$R/.git/liza/guards
[ -d \$records ] && mv \$records \$records.away
env -i PATH="$PATH" HOME="$HOME" unshare -Urpf --mount-proc sh -c 'cd $R; $(judges t1)' >"$T/judges.out" 2>&1
[ -d \$records.away ] && mv \$records.away \$records
echo x >$T/over
W
reviewers=0 rush
worked t1
[ -e "$T/over" ] || void 'nobody tried'
verdict_stands t1 && fail 'an agent that moves the records of guards away is nobody in a namespace of its own: it approves its own work'
pass 'the verdict was refused'
