# A board that begins from a mark of another one, with the goals, tasks and saved commits
# that were there, without its claims. With SIGNED the moves are signed by a principal,
# whose key is in KEYS. It runs in an empty folder, with git-liza first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

at 17T09:00
mkdir ../origin
cd ../origin
mkdir specs
printf '# A small product\n' >specs/vision.md
git init -q -b main .
git add -A
git commit -q -m first
if test "$SIGNED"; then
	mkdir -p .git/liza/keys
	cp "$KEYS/ann" .git/liza/keys/ann
	chmod 600 .git/liza/keys/ann
	git liza init 'Ship it' --admin ann
else
	git liza init 'Ship it'
fi
for task in one two; do
	git liza task add $task --title "The $task" --done-when D --spec specs/vision.md --scope S --kind docs
done
git liza config allow_self_review true
git liza claim one
git liza intent one --summary S --validation V
write one one.txt
git liza submit one
git liza claim two
git liza mark before-the-cut --reason 'try it otherwise'
git liza note 'Not of the other board'

at 17T10:00
cd ../repo
git clone -q -b main ../origin .
if test "$SIGNED"; then
	git config liza.principal ann
	git config liza.principal.ann.key "$KEYS/ann"
fi
git liza init --from-mark before-the-cut --of origin --reason 'as it could have been'
git remote remove origin
git liza approve one --commit "$(git rev-parse refs/liza/saved/one/1)"
git liza merge one
git liza claim two
