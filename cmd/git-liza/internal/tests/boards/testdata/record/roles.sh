# Roles and rules of review,
# several judges, tracked texts, several goals, questions and records. With SIGNED the
# moves are signed by principals, whose keys are in KEYS. It runs in an empty folder,
# with git-liza and the helper liza-act first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

# judge TASK ROLE approves a task as the first agent of a role.
judge() { approve "$1" "$2-1"; }

at 17T09:00
mkdir -p specs roles
printf '# A small product\n\n## Parts\n\nTwo.\n\n## Words\n' >specs/vision.md
printf '# Threats\n' >specs/threats.md
printf '# One\n' >specs/more.md
printf '# One\n' >specs/amended.md
cat >roles/auditor.md <<'END'
---
capacity: judges
about: judges whether the money is right
kinds: []
tools: [read, run, web]
provider: claude
model: opus
strict: true
not_human: false
---
Judge the money.
END
cat >roles/writer.md <<'END'
---
capacity: does
about: writes the documentation
writes: ["doc/**", "specs/**"]
denies:
  - {glob: "doc/legal/**", except: [spec]}
kinds: [docs, spec]
tools: [read, write, run]
---
Write it down.
END
git init -q -b main .
git add -A
git commit -q -m first
if test "$SIGNED"; then
	mkdir -p .git/liza/keys
	cp "$KEYS/ann" .git/liza/keys/ann
	chmod 600 .git/liza/keys/ann
	git liza init 'Ship it' --admin ann
	git liza principal add coders --kind machine --agent 'coder-*' --agent 'writer-*' --user ci --key "$KEYS/coders.pub"
	git liza principal add reviewers --kind machine --agent 'code-reviewer-*' --agent 'auditor-*' --agent 'security-reviewer-*' --right merge --key "$KEYS/reviewers.pub"
	for n in 1 2 3; do
		git config liza.agent.coder-$n.principal coders
		git config liza.agent.writer-$n.principal coders
		git config liza.agent.code-reviewer-$n.principal reviewers
		git config liza.agent.auditor-$n.principal reviewers
		git config liza.agent.security-reviewer-$n.principal reviewers
	done
	git config liza.principal.coders.key "$KEYS/coders"
	git config liza.principal.reviewers.key "$KEYS/reviewers"
else
	git liza init 'Ship it'
fi
git liza config never '**/.env*' '**/*.pem' '.git/**'

# Roles and rules of review.
git liza role add roles/auditor.md
git liza role add roles/writer.md
git liza role remove docs-reviewer
git liza role add docs-reviewer
sed -i 's/the money is right/every sum is right/' roles/auditor.md
git liza role add roles/auditor.md --replace
cat >roles/robot.md <<'END'
---
capacity: judges
about: judges by itself
tools: [read]
not_human: true
---
Judge.
END
git liza role add roles/robot.md
git liza role require security-reviewer --paths 'src/auth/**' --kinds code --kinds docs
git liza role require auditor
git liza role require auditor --remove
git liza role require docs-reviewer --in-place-of code-reviewer
git liza role require code-reviewer --in-place-of docs-reviewer
for agent in planner-1 coder-1 coder-2 writer-1 code-reviewer-1 code-reviewer-2 security-reviewer-1 auditor-1; do
	git liza agents add $agent --provider script --as $agent
done

# Tasks that name roles and texts, judged by several.
at 17T09:10
git liza task add login --title 'Log in' --done-when D --spec specs/vision.md#parts --based-on specs/threats.md --scope S --kind docs --review-by auditor
git liza task add manual --title 'A manual' --done-when D --spec specs/vision.md#words --scope S --kind docs --role writer --without security-reviewer
work login coder-1 src/auth/login.txt
git liza review login --as code-reviewer-1
git liza review login --as security-reviewer-1
git liza review login --role auditor
git liza renew login --role auditor
git liza release login --role auditor
git liza review login --as auditor-1
commit=$(git rev-parse liza/login)
git liza approve login --as code-reviewer-1 --commit "$commit" --message 'Well done'
git liza reject login --as auditor-1 --commit "$commit" --reason-file - <<'END'
blockers:
  - {file: src/auth/login.txt, line: 1, issue: the sum is wrong, why: it is odd, suggestion: add one}
END
git liza reject login --role auditor --dismiss 1 --reason 'there is no sum'
git liza review login --as auditor-1
git liza reject login --role security-reviewer --commit "$commit" --reason '- [blocker] src/auth/login.txt:1 — it shows the password'
git liza claim login --as coder-1
git liza intent login --as coder-1 --summary S --validation V
TEXT=better write login src/auth/login.txt
git liza submit login --as coder-1
commit=$(git rev-parse liza/login)
judge login auditor
judge login code-reviewer
git liza approve login --role security-reviewer --commit "$commit"
git liza merge login --as code-reviewer-1
work manual writer-1 doc/manual.md

# Texts that change: between review and verdict, and between verdict and merge.
at 17T10:00
git liza task add spec --title 'More parts' --done-when D --spec specs/vision.md#parts --scope S --kind spec --role writer
git liza review manual --as code-reviewer-1
git liza claim spec --as writer-1
git liza intent spec --as writer-1 --summary S --validation V
(cd "$(checkout spec)" && sed -i 's/^## Words$/&\n\nFew./' specs/vision.md && git commit -q -a -m Words)
git liza submit spec --as writer-1
approve spec code-reviewer-2
git liza merge spec --as code-reviewer-2
git liza review manual --as code-reviewer-1
git liza record spec-change specs/vision.md#words --change 'one word for another' --same-meaning --as planner-1
git liza approve manual --as code-reviewer-1 --commit "$(git rev-parse liza/manual)"
git checkout -q --detach integration
sed -i 's/^Two\.$/Three./; s/^Few/Many/' specs/vision.md
echo new >>specs/threats.md
git commit -q -a -m 'Vision'
git liza adopt HEAD --reason 'the vision grew'
sed -i 's/^Many/Some/' specs/vision.md
git commit -q -a -m 'Vision again'
git liza adopt HEAD --reason 'the vision changed'
git checkout -q main
git liza approve --again manual
git liza artifact accept specs/vision.md --reason 'read by all'
judge manual code-reviewer
git liza merge manual --as code-reviewer-1

# A spec that is removed on purpose, and work that is adopted without a verdict.
at 17T11:00
git liza task add gone --title 'No threats' --done-when D --spec specs/vision.md --scope S --kind spec --role writer
git liza task add needs --title 'Needs it' --done-when D --spec specs/threats.md --scope S --kind spec --role writer
git liza claim gone --as writer-1
git liza intent gone --as writer-1 --summary S --validation V --removes specs/threats.md
(cd "$(checkout gone)" && git rm -q specs/threats.md && git commit -q -m 'Remove')
git liza submit gone --as writer-1
judge gone code-reviewer
git liza merge gone --as code-reviewer-1
git liza task add late --title Late --done-when D --spec specs/vision.md --scope S --kind docs
work late coder-1 late.txt
git checkout -q --detach integration
git merge -q --no-ff -m 'By hand' liza/late
git liza adopt HEAD --reason 'by hand' --tasks late --accept
git checkout -q main

# Questions, limits and records.
at 17T12:00
git liza task add asks --title Asks --done-when D --spec specs/vision.md --scope S --kind docs
git liza claim asks --as coder-1
git liza record discovery 'No tests' --severity low --as coder-1
git liza record anomaly workaround --detail count=3 --as coder-1
git liza block asks --as coder-1 --reason R --question 'Which one?' --question 'Why?'
git liza take sprint-1/3
git liza answer sprint-1/3 'This one'
git liza record dismiss sprint-1/1 --reason 'there are'
git liza record dismiss sprint-1/2 --reason 'it is none'
git liza note 'Read it' --until 48h
git liza note 'Gone'
git liza record dismiss sprint-1/6 --reason 'said twice'
for record in 1 2 5 6; do
	amend sprint-1/$record 's/^text: .*/text: Amended/; s/count: .*/count: "4"/'
done
git liza task unblock asks --as planner-1

# Several goals.
git liza goal set 'Second' --spec specs/more.md#one --id second --priority 1
git liza task add other --goal second --title Other --done-when D --spec specs/vision.md --scope S --kind docs
git liza record alignment 'On course' --goal second
git liza sprint close --goal second --reason 'time is up'
git liza sprint start --goal second
git liza goal done second --force goal-1 --reason 'the same'
git checkout -q --detach integration
echo more >>specs/more.md
git commit -q -a -m More
git liza adopt HEAD --reason 'more of it'
git checkout -q main
git liza goal reopen second --reason 'not the same'
git liza goal abort second --reason 'enough'
git liza sprint close --reason 'time is up' --goal goal-1
amend goal 's/^spec: .*/spec: "specs\/amended.md#one"/'
git liza board archive
git liza board archive --sprint sprint-1
for record in 1 2 5; do
	amend sprint-1/$record 's/^text: .*/text: Amended again/; s/count: .*/count: "5"/'
done
git liza sprint start --goal goal-1 --planned asks
