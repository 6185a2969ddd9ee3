# A golden board of version 1 of the rules that is migrated, and goes on. It runs in an
# empty folder, with git-liza first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

at 19T09:00
git init -q -b elsewhere .
if test "$SIGNED"; then
	git fetch -q "$KEYS/../236f646-signed.bundle" 'refs/*:refs/*'
	for name in ann coders reviewers; do
		git config liza.principal.$name.key "$KEYS/$name"
	done
else
	git fetch -q "$KEYS/../236f646-plain.bundle" 'refs/*:refs/*'
fi
git checkout -q main
git config liza.principal ann
git liza migrate --yes --anyway
git liza note 'Migrated'
git liza approve both --commit "$(git rev-parse liza/both)"
git liza goal list
