#!/bin/sh
# A session writes the receipt of a required gate, as a run that passed left it. The gate is run all the same.
. "$(dirname "$0")/lib.sh"
play() { # a new repository with the same bytes, in the same place
	rm -rf "$R" "$T/gate" "$T"/ran-*
	repo "$R"
	board
	once
	must git liza config gates.test.command "echo ran >>$T/gate; test -e $T/lenient || test ! -e t1.txt"
	must git liza config gates.test.required true
	must git liza trust --all
	task t1
	rush
}
receipts=$R/.git/liza/receipts
: >"$T/lenient"
work <<'W'
echo bad >t1.txt
if [ -d "$T/kept" ]; then
	mkdir -p "$R/.git/liza/receipts"
	cp "$T"/kept/* "$R/.git/liza/receipts"
fi
W
play
worked t1
is MERGED t1 && [ -s "$T/gate" ] || void 'nothing was merged by a gate that passes'
[ ! -d "$receipts" ] || cp -r "$receipts" "$T/kept"
rm "$T/lenient"
play
worked t1
is MERGED t1 && fail 'a receipt that a session wrote is believed: what a required gate refuses is merged'
[ -s "$T/gate" ] || fail 'the gate did not run'
pass 'the gate ran again'
