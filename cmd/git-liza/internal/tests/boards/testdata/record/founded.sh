# A board whose first move has every field, also those that no command sets.
set -eu
export LIZA_NOW=2026-01-17T09:00:00Z GIT_AUTHOR_DATE=2026-01-17T09:00:00Z GIT_COMMITTER_DATE=2026-01-17T09:00:00Z
mkdir specs
printf '# A small product\n' >specs/vision.md
git init -q -b main .
git add -A
git commit -q -m first
mkdir -p .git/liza/keys
cp "$KEYS/ann" .git/liza/keys/ann
chmod 600 .git/liza/keys/ann
git config liza.principal ann
liza-act init "$(git rev-parse HEAD)" "$(cat "$KEYS/ann.pub")"
git liza note 'Founded'
