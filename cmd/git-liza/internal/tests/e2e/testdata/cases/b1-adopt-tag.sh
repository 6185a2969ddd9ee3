#!/bin/sh
# A coder pushes a tag that is called like a branch. The admin adopts the branch, and gets the branch.
. "$(dirname "$0")/lib.sh"
guarded
must git merge -q refs/heads/integration
echo first >first.txt && commit first
PUSHER=ann git liza adopt main --reason first >"$T/first.out" 2>&1
holds first.txt "$(git -C "$T/hub.git" rev-parse refs/heads/integration)" || void 'the admin cannot adopt a branch'
reached 'the admin adopted a branch'
git push -q origin main
forged main
must git clone -q "$T/hub.git" "$T/admin"
cd "$T/admin" && as_admin
echo mine >mine.txt && commit "what the admin means"
PUSHER=ann git liza adopt main --reason 'take my branch' >"$T/adopt.out" 2>&1
cd "$T/hub.git"
holds evil.txt && fail 'adopt takes a tag for the branch that is called alike: what nobody approved is on integration'
pass 'the tag is nothing to adopt'
