#!/bin/sh
# A rename in case alone, a mode alone, a file that becomes a link, one that becomes a folder, and bytes that are no text.
. "$(dirname "$0")/lib.sh"
repo "$R"
for f in readme.md run.sh link dir; do echo $f >$f; done
head -c 3000 /dev/urandom >pic.bin
commit files
board
for t in t1 t2 t3 t4; do task $t; done
work <<'W'
case $LIZA_TASK in
t1) git mv readme.md README.md ;;
t2) chmod +x run.sh ;;
t3) rm link dir && ln -s run.sh link && mkdir dir && echo f >dir/f ;;
t4) head -c 3000 /dev/urandom >pic.bin ;;
esac
W
rush
worked t1 t2 t3 t4
is MERGED t1 t2 t3 t4 || fail "$(states t1 t2 t3 t4)"
git ls-tree -r integration | awk '{ print $1, $4 }' >"$T/tree.out"
for line in '100644 README.md' '100755 run.sh' '120000 link' '100644 dir/f'; do
	grep -qx "$line" "$T/tree.out" || fail "integration has no $line"
done
git liza show t4 --patch >"$T/patch.out" 2>&1 || fail 'the patch of a binary file is not shown'
pass 'all are merged exactly'
