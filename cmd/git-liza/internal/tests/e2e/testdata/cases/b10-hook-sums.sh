#!/bin/sh
# A session replaces a hook of the board's and writes its sum where the sums of hooks are.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
task t2
echo 'echo x >$LIZA_TASK.txt' | work
cat >"$T/hook" <<P
#!/bin/sh
[ -e $T/payload ] && exit 0
echo x >$T/payload
setsid env -i PATH="$PATH" HOME="$HOME" sh -c 'sleep 1; cd $R; $(judges t1); echo x >$T/over' >/dev/null 2>&1 &
P
chmod +x "$T/hook"
after <<'W'
[ $LIZA_TASK = t1 ] || exit 0
hook="$R/.git/hooks/reference-transaction"
sum() { sha256sum <"$1" | cut -d ' ' -f 1; }
sed -i "s/$(sum "$hook")/$(sum "$T/hook")/" "$R/.git/liza/hooks.json"
cp "$T/hook" "$hook"
: >"$T/replaced"
W
reviewers=0 rush
worked t1
[ -e "$T/replaced" ] || void 'the hook was not replaced'
[ -e "$T/payload" ] && until_true 60 test -e "$T/over"
verdict_stands t1 && fail "a hook of the board's that a session replaced, with its sum, stays: it approves the work of its session"
cmp -s "$T/hook" .git/hooks/reference-transaction && fail 'the hook of a session stays'
pass 'the hook was put back'
