# A golden board of version 3 of the rules that is migrated, and goes on. It runs in an
# empty folder, with git-liza first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

at 22T09:00
git init -q -b elsewhere .
if test "$SIGNED"; then
	git fetch -q "$KEYS/../7ad303a-version3-signed.bundle" 'refs/*:refs/*'
	for name in ann coders reviewers; do
		git config liza.principal.$name.key "$KEYS/$name"
	done
	git config liza.principal ann
else
	git fetch -q "$KEYS/../7ad303a-version3.bundle" 'refs/*:refs/*'
fi
git checkout -q main
git liza migrate --yes --anyway
git liza note 'Migrated'
git liza task add behind --title 'Behind' --done-when D --spec specs/vision.md#parts --scope S --kind docs --depends held
git liza goal schedule --barrier level --levels now,then
