#!/bin/sh
# A coder pushes a tag that is called like integration. What people are told to type merges integration.
. "$(dirname "$0")/lib.sh"
guarded
reached 'something is on integration to merge'
forged integration
must git clone -q "$T/hub.git" "$T/victim"
cd "$T/victim"
PUSHER=victim must git liza sync --set origin
git liza status >"$T/status.out" 2>&1
next=$(grep -o 'git merge [^ ]*' "$T/status.out" | head -1)
[ -n "$next" ] || void 'no merge is proposed'
sh -c "$next" >"$T/merge.out" 2>&1
[ -e evil.txt ] && fail 'git merge integration, as proposed, merges a tag of that name: what nobody approved is on main'
[ -e merged.txt ] || fail 'the proposed merge does not bring integration'
pass 'integration alone was merged'
