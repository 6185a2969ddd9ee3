# A golden board of version 2 of the rules that is migrated, and goes on. It runs in an
# empty folder, with git-liza first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

at 19T09:00
git init -q -b elsewhere .
if test "$SIGNED"; then
	git fetch -q "$KEYS/../9fee5a5-version2-signed.bundle" 'refs/*:refs/*'
	for name in ann coders reviewers; do
		git config liza.principal.$name.key "$KEYS/$name"
	done
	git config liza.principal ann
else
	git fetch -q "$KEYS/../9fee5a5-version2.bundle" 'refs/*:refs/*'
fi
git checkout -q main
git liza migrate --yes --anyway
git liza note 'Migrated'
git liza sprint retro --message 'going well' --action 'go on'
git liza mark migrated
