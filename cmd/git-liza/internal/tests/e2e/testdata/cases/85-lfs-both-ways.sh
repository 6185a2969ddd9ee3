#!/bin/sh
# With Git LFS, git in a worktree reads what the clone has, and what is new there comes to reviewers, the remote and
# other clones.
. "$(dirname "$0")/lib.sh"
git lfs version >/dev/null 2>&1 || skip 'needs git-lfs'
must git init -q --bare "$T/hub.git"
git clone -q "file://$T/hub.git" "$R" 2>/dev/null
cd "$R"
must git lfs install --local
echo '*.bin filter=lfs diff=lfs merge=lfs -text' >.gitattributes
head -c 1000 /dev/urandom >old.bin && commit older && head -c 2000 /dev/urandom >old.bin
seed
must git push -q origin main
other() { must git clone -q ${2:+-b "$2"} "file://$T/hub.git" "$T/$1" && (cd "$T/$1" && git lfs install --local && git lfs pull) >"$T/$1.out" 2>&1; }
other second
size() { wc -c <"$1/$2"; }
[ "$(size "$T/second" old.bin)" = 2000 ] || void 'LFS does not download'
board --remote origin
task t1
task t2
task t3
code t1 coder-1 '
	git checkout -q HEAD~ -- old.bin && wc -c <old.bin >"$T/older"
	git checkout -q HEAD -- old.bin
	head -c 3000 /dev/urandom >new.bin'
reached 'a coder submitted'
[ "$(cat "$T/older")" = 1000 ] || fail 'git in a worktree does not read what the clone has'
must git liza review t1 --as code-reviewer-1
[ "$(size .worktrees/review@t1@1 new.bin)" = 3000 ] || fail 'the reviewer has a pointer'
approve t1
must git liza merge t1

# A clone that keeps its contents elsewhere.
git config lfs.storage "$T/store" && mv .git/lfs "$T/store"
code t2 coder-1 '
	git checkout -q HEAD~ && git checkout -q - && wc -c <new.bin >"$T/again"
	head -c 4000 /dev/urandom >new.bin'
[ "$(cat "$T/again")" = 3000 ] || fail 'git in a worktree does not read what the clone has elsewhere'
approve t2
must git liza merge t2

# Another clone, which never had what was between: of a remote that is a folder Git LFS asks for it again, unless a
# fetch has shown what the remote has.
cd "$T/second"
must git liza sync --set origin
code t3 coder-2 '
	wc -c <new.bin >"$T/there"
	head -c 5000 /dev/urandom >newer.bin
	commit newer
	git liza submit t3 >"$T/submit" 2>&1 || sh -c "$(sed -n "s/^hint: //p" "$T/submit")"
	git reset -q --soft HEAD~'
[ "$(cat "$T/there")" = 4000 ] || fail 'another clone has a pointer'
approve t3
must git liza merge t3
other third integration
[ "$(size "$T/third" new.bin) $(size "$T/third" newer.bin)" = '4000 5000' ] || fail 'the remote lacks contents'
pass 'read and written'
