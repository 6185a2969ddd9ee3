# Workflows with phases and artifacts,
# tasks of an approved plan, classes of files, a loop, questions during the work, a level
# that failed and has work below it again. With SIGNED the moves are signed by principals,
# whose keys are in KEYS. It runs in an empty folder, with git-liza and the helper liza-act
# first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

# adopt FILE... brings files to integration, with the word of a person.
adopt() {
	git add "$@"
	git commit -q -m "Write $1"
	git liza adopt HEAD --accept --reason 'written by hand'
}

# decision PATH writes a decision.
decision() {
	mkdir -p "$(dirname "$1")"
	{
		printf -- '---\ntype: adr\nid: ADR-001\ntitle: One file\nstatus: accepted\ndate: 2026-01-23\n---\n\n# ADR-001: One file\n\n'
		printf '## Context\nSomebody has to find the numbers again, and nobody knows the folder yet, so it is said here.\n\n'
		printf '## Decision\nWe will keep all numbers in one file, because one is enough.\n\n'
		printf '## Consequences\n- Easier from now on: to find the numbers.\n- Harder from now on: to write two of them at once.\n'
	} >"$1"
}

at 23T09:00
mkdir -p specs texts .liza
printf '# A small product\n\n## Parts\n' >specs/vision.md
for text in story of-plan task-3 numbers half planned early later design more build base other; do
	printf '# Text\n\n## One\n' >texts/$text.md
done
printf '# Stories\n\n- [ ] US-001: Count\n\n## Allowed Paths\n- src/\n\n## Verification\n- true\n' >stories.md
printf -- '---\nautomation: {type: mechanical, scope: bounded, loop: discouraged, second_look: suggested}\n---\n# Look\n' >texts/check.md
cat >full.yaml <<'EOF'
about: what a workflow can say
parallel: 3
phases:
  - name: DESIGN
    about: the decisions
    roles: [architect, coder]
    kinds: [spec, docs]
    artifacts:
      - {type: adr, path: "designs/{goal}/adr-*.md", count: 1}
      - {type: plan, path: "designs/{goal}/plan.yaml"}
    tasks:
      - {name: adr, title: "Decide for {goal}", role: architect, kind: spec, owns: ["designs/{goal}/adr-*.md"], done_when: D, verify: 'true', spec: texts/design.md#one, based_on: [texts/base.md#one], review_by: [docs-reviewer]}
      - {name: more, title: More, role: coder, kind: docs, done_when: D, verify: 'true', spec: texts/more.md#one, depends_on: [adr]}
    gates: [look]
    human: true
  - name: BUILD
    tasks:
      - {name: build, title: Build, role: coder, kind: docs, done_when: D, spec: texts/build.md#one, owns: ["built/"]}
EOF
cat >other.yaml <<'EOF'
about: the same, in other words
parallel: 2
phases:
  - name: THINK
    about: the decisions
    roles: [architect, coder]
    kinds: [spec, docs]
    artifacts:
      - {type: adr, path: "thoughts/{goal}/adr-*.md", count: 1}
      - {type: plan, path: "thoughts/{goal}/plan.yaml"}
    tasks:
      - {name: think, title: Think, role: architect, kind: spec, owns: ["thoughts/{goal}/adr-*.md"], done_when: D, verify: 'true', spec: texts/other.md#one, based_on: [texts/base.md#one], review_by: [docs-reviewer]}
      - {name: again, title: Again, role: coder, kind: docs, done_when: D, depends_on: [think]}
    gates: [look]
    human: true
  - name: BUILD
EOF
git init -q -b main .
git add -A
git commit -q -m first
if test "$SIGNED"; then
	mkdir -p .git/liza/keys
	cp "$KEYS/ann" .git/liza/keys/ann
	chmod 600 .git/liza/keys/ann
	git liza init 'Ship it' --admin ann
	git liza principal add coders --kind machine --agent 'coder-*' --agent 'architect-*' --user ci --key "$KEYS/coders.pub"
	git liza principal add reviewers --kind machine --agent 'code-reviewer-*' --right merge --key "$KEYS/reviewers.pub"
	git liza principal add ann --replace --right admin,merge
	for agent in coder-1 coder-2 architect-1; do
		git config liza.agent.$agent.principal coders
	done
	git config liza.agent.code-reviewer-1.principal reviewers
	git config liza.principal.coders.key "$KEYS/coders"
	git config liza.principal.reviewers.key "$KEYS/reviewers"
else
	git liza init 'Ship it'
fi
for agent in planner-1 coder-1 coder-2 architect-1 code-reviewer-1 docs-reviewer-1; do
	git liza agents add $agent --provider script --as $agent
done
git liza config automation.required true
amend config 's/^drift_alarm: .*/drift_alarm: 7/'
git liza config automation.required false

# A role that writes artifacts alone.
printf -- '---\ncapacity: does\nabout: draws\nartifacts: true\nkinds: [docs]\ntools: [read, write]\n---\n# Role: drawer\n\nDraw.\n' >.liza/drawer.md
git liza role add .liza/drawer.md

# What a task does not change, under no workflow and under one.
add parser
merged parser
add later --depends-on parser
liza-act edit later

# A level that failed, and that it failed stays until it passes.
git liza config gates.whole.command 'echo no; false'
git liza config gates.whole.at level
git liza goal schedule --barrier level
git liza goal level pass
amend goal 's/^title: .*/title: Ship it soon/'
git liza config gates.whole.command true
git liza goal level pass
git liza config gates.whole --unset

# A goal with a workflow: its first task decides and is judged, also by a person.
at 23T10:00
git liza config gates.look.command 'echo looked'
git liza config gates.look.at phase
git liza goal set 'From an idea' --spec specs/vision.md --id idea --workflow full.yaml --every task
git liza claim task-1 --as architect-1
git liza intent task-1 --as architect-1 --summary 'Decide' --validation 'Read it'
(cd "$(checkout task-1)" && decision designs/idea/adr-1.md && git add -A && git commit -q -m Decide)
git liza submit task-1 --as architect-1
approve task-1 docs-reviewer-1
approve task-1 code-reviewer-1
git liza approve task-1 --commit "$(git rev-parse liza/task-1)" --message 'Well decided'
git liza merge task-1 --as code-reviewer-1

# Questions during the work: given back, looked for in vain, left until the lease ended, and
# one for the answer of another.
git liza claim task-2 --as coder-1
git liza ask planner 'How many numbers?' --as coder-1
git liza take sprint-2/1 --as planner-1
git liza take sprint-2/1 --free --as planner-1
git liza take sprint-2/1 --as planner-1
liza-act missed sprint-2/1
git liza config limits.no_verdicts 3
at 23T10:10
git liza take sprint-2/1 --lease 1s --as planner-1
at 23T10:20
git liza take sprint-2/1 --as planner-1
git liza ask human 'How many do you want?' --parent sprint-2/1 --as planner-1
git liza answer sprint-2/2 'Three'
git liza answer sprint-2/1 'Three, says Ann' --as planner-1
git liza session add --role planner --provider script --outcome answered --took 5s
git liza intent task-2 --as coder-1 --summary 'Write it' --validation 'Read it' --tests-not-needed 'words only'
write task-2 more.txt
git liza submit task-2 --as coder-1
approve task-2 code-reviewer-1
git liza approve task-2 --commit "$(git rev-parse liza/task-2)" --message 'Well done'
git liza merge task-2 --as code-reviewer-1

# The plan, and what is described anew with it.
at 23T11:00
mkdir -p designs/idea
printf -- '- {id: of-plan, title: Of the plan, done_when: D, spec: specs/vision.md, scope: S, kind: docs}\n' >designs/idea/plan.yaml
git merge -q --ff-only integration
adopt designs/idea/plan.yaml
git liza goal phase next
git liza task add outline --title Outline --draft
liza-act import-plan designs/idea/plan.yaml task-3 task-2
add early
liza-act edit early
add framed
liza-act supersede framed
git liza record discovery 'Numbers' --severity low
liza-act convert sprint-2/3
liza-act plan early task-2
liza-act plan-again task-3 task-2
amend goal 's/^title: .*/title: From a good idea/'
echo '# Nothing is new.' >>designs/idea/plan.yaml
git merge -q --ff-only integration
adopt designs/idea/plan.yaml
liza-act import-known designs/idea/plan.yaml

# What a person says of the classes of files.
git liza plan classify --allow stories.md --reason 'It is small'
git liza plan classify texts/check.md --say loop=allowed

# Back, and another workflow with the same work.
at 23T12:00
git liza goal phase back --reason 'a decision is missing'
git liza artifact regenerate designs/idea/adr-2.md
git liza goal set --workflow other.yaml --phase THINK --map DESIGN=THINK --every phase --reason 'other words'
liza-act reload

# A loop: one claim of an agent, and a question that is open when the board is kept.
at 23T13:00
liza-act goal stories.md "$(git rev-parse HEAD:stories.md)" task-2
git liza claim task-7 --as architect-1
git liza ask planner 'Which numbers?' --as architect-1
amend goal 's/^title: .*/title: One after the other, slowly/'
amend goal 's/^  iterations: .*/  iterations: 40/'
