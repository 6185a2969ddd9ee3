#!/bin/sh
# With Git LFS the content of what is merged is on the remote, not its pointer alone.
. "$(dirname "$0")/lib.sh"
git lfs version >/dev/null 2>&1 || skip 'needs git-lfs'
must git init -q --bare "$T/hub.git"
git clone -q "file://$T/hub.git" "$R" 2>/dev/null
cd "$R"
must git lfs install --local
echo '*.bin filter=lfs diff=lfs merge=lfs -text' >.gitattributes
head -c 2000 /dev/urandom >old.bin
seed
must git push -q origin main
contents() { find "$T/hub.git/lfs" -type f | wc -l; }
[ "$(contents)" = 1 ] || void 'LFS does not upload'
board --remote origin
task t1
work <<'W'
wc -c <old.bin >"$T/size"
head -c 3000 /dev/urandom >new.bin
W
rush
worked t1
[ "$(cat "$T/size")" = 2000 ] || fail 'a worktree has pointers'
if is MERGED t1; then
	[ "$(contents)" = 2 ] || fail 'integration is pushed without its LFS content: no other clone can check it out'
	must env GIT_LFS_SKIP_SMUDGE=1 git clone -q "file://$T/hub.git" "$T/second"
	cd "$T/second" && must git lfs install --local
	git checkout -q integration >"$T/checkout.out" 2>&1 && [ "$(wc -c <new.bin)" = 3000 ] || fail 'another clone cannot check integration out'
	pass 'merged with its content'
fi
grep -q 'git lfs push' "$T/submit-t1" "$T/rush.out" || fail "$(states t1)"
pass 'refused with what to type'
