#!/bin/sh
# What Git LFS lost, or what is damaged, reaches nobody: it is said, with what to type.
. "$(dirname "$0")/lib.sh"
git lfs version >/dev/null 2>&1 || skip 'needs git-lfs'
must git init -q --bare "$T/hub.git"
git clone -q "file://$T/hub.git" "$R" 2>/dev/null
cd "$R"
must git lfs install --local
echo '*.bin filter=lfs diff=lfs merge=lfs -text' >.gitattributes
seed
must git push -q origin main
board --remote origin
task t1
must git liza claim t1 --as coder-1
cd .worktrees/t1 2>/dev/null || void 'no worktree'
export LIZA_AGENT_ID=coder-1
must git liza intent t1 --summary s --validation v
said() { sed -n 's/^hint: //p' "$T/submit" | head -1; }
refused() {
	git liza submit t1 >"$T/submit" 2>&1 && fail "submitted: $1"
	is CLAIMED t1 || fail "$1: t1 is $(state t1)"
	grep -q "$2" "$T/submit" || { cp "$T/submit" "$T/said.out"; fail "not said: $1"; }
}
store() { # what Git LFS has of new.bin
	sum=$(sha256sum new.bin | cut -d ' ' -f 1)
	object=lfs/objects/$(echo "$sum" | cut -c 1-2)/$(echo "$sum" | cut -c 3-4)/$sum
	must commit new
	[ -f ".git/$object" ] || void 'LFS stores nothing'
}

head -c 3000 /dev/urandom >new.bin && store
reached 'a coder has work'
chmod u+w ".git/$object" && printf X | dd of=".git/$object" conv=notrunc 2>"$T/dd"
refused 'damaged content' "$sum is damaged"
[ ! -e "$R/.git/$object" ] || fail 'damaged content is taken over'
sh -c "$(said)" >"$T/typed.out" 2>&1 && [ "$(sha256sum <".git/$object")" = "$sum  -" ] || fail 'what is said does not help'

git liza show --trace HEAD >"$T/trace" 2>&1 || : # takes over what is committed here
[ -f "$R/.git/$object" ] || fail 'content is not taken over'
mv "$R/.git/$object" "$T/lost"
older=$object
head -c 3000 /dev/urandom >new.bin && store
rm -f ".git/$older"
refused 'content that is lost' new.bin
mv "$T/lost" "$R/.git/$older"
sh -c "$(said)" >"$T/typed.out" 2>&1 && [ -f "$T/hub.git/$older" ] || fail 'what is said uploads nothing'
git liza submit t1 >"$T/again.out" 2>&1 && is READY_FOR_REVIEW t1 || fail 'after that it is refused still'
[ -f "$T/hub.git/$object" ] || fail 'content is not uploaded'
pass 'said, and mended by what is said'
