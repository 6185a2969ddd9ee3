# Makes a repository in which each example of the pages of help can be typed, below the
# current folder: parser is open, lexer claimed, printer submitted, reader in review, writer
# approved, cache blocked, index a draft, and store merged.
set -e
git init -q repo
cd repo
mkdir -p specs src
echo '# A parser of dates' >specs/vision.md
echo x >src/parser.txt
printf -- '- id: date\n  title: Read dates\n  done_when: Dates are read\n  spec: specs/vision.md\n  scope: src\n' >plan.yaml
sed 's/date/hour/;s/dates/hours/' plan.yaml >tasks.yaml
git add -A
git commit -q -m first
git liza init
git liza config gates.tests.command true
git liza record discovery 'Leap seconds are unknown' --severity medium
for id in parser lexer printer reader writer cache store; do
	git liza task add $id --title "The $id" --done-when "It has a $id" --spec specs/vision.md --scope src --kind docs --owns "$id/**"
done
git liza task add index --draft --title 'The index' --done-when 'It has one' --spec specs/vision.md --scope src --kind docs
work() {
	git liza claim "$1" --as coder-1
	git liza intent "$1" --summary S --validation V --as coder-1
	mkdir ".worktrees/$1/$1"
	echo x >".worktrees/$1/$1/text"
	git -C ".worktrees/$1" add -A
	git -C ".worktrees/$1" commit -q -m "Write the $1"
}
for id in store writer reader printer; do
	work $id
	git liza submit $id --as coder-1
	[ $id = printer ] || git liza review $id --as code-reviewer-1
	case $id in store | writer) git liza approve $id --commit "$(git rev-parse liza/$id)" --as code-reviewer-1 ;; esac
done
git liza merge store
git liza claim cache --as coder-1
git liza block cache --question 'Which format?' --as coder-1
work lexer
git liza agents add coder-9
