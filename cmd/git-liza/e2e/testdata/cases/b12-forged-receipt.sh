#!/bin/sh
# A session writes the receipt of a required gate, as a run that passed left it. The gate is run all the same.
. "$(dirname "$0")/lib.sh"
play() { # a new repository with the same bytes, in the same place
	rm -rf "$T/r" "$HOME/gate" "$T"/ran-*
	repo "$T/r"
	board
	once
	must git liza config gates.test.command 'echo ran >>"$HOME/gate"; test -e "$HOME/lenient" || test ! -e t1.txt'
	must git liza config gates.test.required true
	must git liza trust --all
	task t1
	rush
}
receipts=$T/r/.git/liza/receipts
: >"$HOME/lenient"
work <<'W'
echo bad >t1.txt
if [ -d "$T/kept" ]; then
	mkdir -p "$T/r/.git/liza/receipts"
	cp "$T"/kept/* "$T/r/.git/liza/receipts"
fi
W
play
worked t1
is MERGED t1 && [ -s "$HOME/gate" ] || void 'nothing was merged by a gate that passes'
[ ! -d "$receipts" ] || cp -r "$receipts" "$T/kept"
rm "$HOME/lenient"
play
worked t1
is MERGED t1 && fail 'a receipt that a session wrote is believed: what a required gate refuses is merged'
[ -s "$HOME/gate" ] || fail 'the gate did not run'
pass 'the gate ran again'
