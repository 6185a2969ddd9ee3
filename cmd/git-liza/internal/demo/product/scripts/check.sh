# For tests and reviews, to be sourced at the top of the checkout: a ledger of
# its own, and ways to say what is expected.
set -eu
TALLY_FILE=$(mktemp)
export TALLY_FILE
trap 'rm -f "$TALLY_FILE"' EXIT
tab=$(printf '\t')

# same WHAT WANT GOT
same() {
	[ "$2" = "$3" ] && return
	printf '%s: want "%s", got "%s"\n' "$1" "$2" "$3"
	exit 1
}

# refuses CODE COMMAND...
refuses() {
	want=$1 got=0
	shift
	"$@" >/dev/null 2>&1 || got=$?
	same "exit code of $*" "$want" "$got"
}
