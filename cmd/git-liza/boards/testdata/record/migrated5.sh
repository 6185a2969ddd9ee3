# A golden board of version 4 of the rules that is migrated, and goes on. It runs in an
# empty folder, with git-liza first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

at 24T09:00
git init -q -b elsewhere .
if test "$SIGNED"; then
	git fetch -q "$KEYS/../01558001-version4-signed.bundle" 'refs/*:refs/*'
	for name in ann coders reviewers; do
		git config liza.principal.$name.key "$KEYS/$name"
	done
	git config liza.principal ann
else
	git fetch -q "$KEYS/../01558001-version4.bundle" 'refs/*:refs/*'
fi
git checkout -q main
git liza migrate --yes --anyway
git liza note 'Migrated'
printf 'phases:\n  - {name: FIRST, tasks: [{name: begin, title: Begin, done_when: D, kind: docs}]}\n  - name: LAST\n' >steps.yaml
git liza phase reload --workflow steps.yaml --map none=LAST
git liza phase reload --workflow liza
