# The life of a board: every act that the program makes, with as many fields as
# it fills. With SIGNED the moves are signed by principals, whose keys are in KEYS.
# It runs in an empty folder, with git-liza and the helper liza-act first in PATH.
set -eu

. "$(dirname "$0")/lib.sh"

# Setting up.
at 17T09:00
mkdir specs
printf '# A small product\n\n## Parts\n' >specs/vision.md
mkdir texts
for text in helped numbers imported half sketch; do
	printf '# One\n' >texts/$text.md
done
git init -q -b main .
git add -A
git commit -q -m first
if test "$SIGNED"; then
	mkdir -p .git/liza/keys
	cp "$KEYS/ann" .git/liza/keys/ann
	chmod 600 .git/liza/keys/ann
	git liza init 'Ship it' --lease 45m --admin ann
	git liza principal add coders --kind machine --role coder --agent 'coder-*' --user ci --key "$KEYS/coders.pub"
	git liza principal add reviewers --kind machine --role code-reviewer --right merge --key "$KEYS/reviewers.pub"
	for n in 1 2 3; do
		git config liza.agent.coder-$n.principal coders
		git config liza.agent.code-reviewer-$n.principal reviewers
	done
	git config liza.principal.coders.key "$KEYS/coders"
	git config liza.principal.reviewers.key "$KEYS/reviewers"
else
	git liza init 'Ship it' --lease 45m
fi
git liza config review_lease 40m
git liza config grace 2m
git liza config supersede_depth 3
git liza config drift_alarm 15
git liza config tests '**/*_test.*' 'checks/**'
git liza config post_worktree true
git liza config gates.unit.command 'echo unit; test ! -e broken'
git liza config gates.unit.required true
git liza config gates.unit.timeout 5m
git liza config budgets.task.tokens 900000
git liza config budgets.task.cost 90
git liza config budgets.sprint.tokens 9000000
git liza config budgets.sprint.cost 900.5
git liza config budgets.goal.tokens 90000000
git liza config budgets.goal.cost 9000
for agent in planner-1 coder-1 coder-2 code-reviewer-1; do
	git liza agents add $agent --provider script --as $agent
done
git liza agents add coder-1 --provider script:m --takeover --as coder-1

# Planning.
at 17T09:10
cat >../tasks.yaml <<'END'
- id: parser
  title: A parser
  done_when: it parses
  spec: specs/vision.md#parts
  scope: the parser alone
  priority: 1
  owns: [src/parser/, doc/parser.md]
  verify: test -e src/parser/parse.go
  kind: code
  stretch: true
  limits: {iterations: 7, review_cycles: 6, integration_failures: 4, no_verdicts: 3, failed_coders: 3, failures: 5}
  budget: {tokens: 500000, cost: "12.5"}
- {id: lexer, title: A lexer, done_when: it lexes, spec: specs/vision.md, scope: S, kind: docs, depends_on: [parser]}
- {id: sketch, title: Sketch, draft: true, depends_on: [lexer]}
- {id: guide, title: A guide, done_when: it is read, spec: specs/vision.md, scope: S, kind: docs, priority: 2}
- {id: index, title: An index, done_when: it is read, spec: specs/vision.md, scope: S, kind: docs, depends_on: [guide]}
END
git liza task add --from ../tasks.yaml
git liza task add helped --as planner-1 --title 'Help' --done-when D --spec specs/vision.md --scope S --kind docs
git liza task edit sketch --done-when 'it is drawn' --spec specs/vision.md --scope 'one page' --priority 4 --owns doc/sketch.md --verify true --kind docs \
	--stretch --budget-tokens 1000 --budget-cost 0.25 --depends-on parser --based-on texts/sketch.md#one
git liza task finalize sketch
liza-act edit helped
git liza record alignment 'The parser first' --as planner-1
git liza record spec-change specs/vision.md#parts --change 'Parts were named' --by parser --as coder-1
git liza note 'Read the vision' --for coder-1 --as planner-1
git liza note 'For all'
for text in true 007 2026-01-17 '- a: b' "don't" '"quoted"' '# no comment' 'ünïcödé – 木 🌳' "$(printf 'two\nlines\n\n  and one more\n\ttab')" "$(printf '%0300d' 7)"; do
	git liza note -- "$text"
done
git liza record discovery 'The vision has no diagram' --severity medium --urgency immediate --during parser --recommend 'draw one' --as coder-1
git liza record discovery 'Numbers are missing' --severity low
git liza task add --record sprint-1/13 diagram --title 'A diagram' --done-when 'it is drawn' --spec specs/vision.md --scope S --priority 3 --depends-on parser \
	--owns doc/diagram.svg --verify true --kind docs --stretch --budget-tokens 5000 --budget-cost 3
liza-act convert sprint-1/14
git liza record anomaly retry_loop --task parser --detail count=3 --detail 'error_pattern=a: b' --as coder-1
git liza record anomaly scope_deviation

# A task from its claim to its merge, with everything that can happen to it.
at 17T09:20
git liza claim parser --as coder-1 --lease 20m
git liza renew parser --lease 30m --as coder-1
git liza intent parser --as coder-1 --summary 'Write it' --validation 'Run it' --files src/parser/parse.go --assumption 'ASCII only' --risk 'slow' \
	--extend 'doc/**' --tests-not-needed 'the next task tests it'
write parser src/parser/parse.go
git liza handoff parser --as coder-1 --summary 'Half of it' --next-action 'the other half' --approach 'recursive descent' --blocker 'the grammar' \
	--file src/parser/parse.go --next-step 'errors' --dead-end 'a table'
git liza release parser --as coder-1
git liza claim parser --as coder-2
at 17T10:30
git liza block parser --as planner-1 --reason 'nobody is there' --question 'who takes it?' --question 'until when?' --attempted 'waiting'
git liza task unblock parser --as planner-1
git liza claim parser --as coder-1
git liza intent parser --as coder-1 --summary 'Write it' --validation 'Run it' --tests-not-needed 'the next task tests it'
write parser src/parser/parse.go
at 17T12:00
git liza claim parser --as coder-2
git liza intent parser --as coder-2 --summary 'Write it' --validation 'Run it' --tests-not-needed 'the next task tests it'
TEXT=first write parser src/parser/parse.go
git liza submit parser --as coder-2
git liza review parser --as code-reviewer-1
git liza reject parser --as code-reviewer-1 --commit "$(git rev-parse liza/parser)" --reason-file - <<'END'
blockers:
  - {file: src/parser/parse.go, line: 1, issue: it does not parse, why: the spec wants it, suggestion: parse}
concerns:
  - {file: src/parser/parse.go, line: 1, issue: no comment, why: readers, suggestion: add one}
overall: Not yet
END
git liza claim parser --as coder-2
git liza intent parser --as coder-2 --summary 'Mend it' --validation 'Run it' --extend doc/ --files src/parser/parse.go --assumption 'ASCII only' --risk 'slow' \
	--tests-not-needed 'the next task tests it'
TEXT=second write parser src/parser/parse.go
git liza submit parser --as coder-2
git liza review parser --as code-reviewer-1
git liza renew parser --as code-reviewer-1
git liza release parser --as code-reviewer-1 --no-verdict
git liza review parser --as code-reviewer-1 --lease 35m
git liza reject parser --as code-reviewer-1 --commit "$(git rev-parse liza/parser)" --reason-file - <<'END'
blockers:
  - {file: src/parser/parse.go, line: 1, issue: it is slow}
prior:
  - {finding: "1", status: RESOLVED}
END
git liza claim parser --as coder-2
git liza intent parser --as coder-2 --summary 'Mend it' --validation 'Run it' --tests-not-needed 'the next task tests it'
TEXT=third write parser src/parser/parse.go
git liza submit parser --as coder-2
printf 'be quick\n' >../prompt.md
printf 'done\n' >../output.txt
git liza session add parser --as coder-2 --provider script --model m --outcome submitted --input 5000 --cached 1000 --written 800 --cost 0.1325 --took 5m \
	--prompt ../prompt.md --output ../output.txt
git liza session add --as planner-1 --provider script --outcome planned --input 100 --written 10
work guide coder-1 doc/guide.md
approve guide code-reviewer-1
git liza merge guide --as code-reviewer-1
approve parser code-reviewer-1
TEXT=late write parser late.txt
git liza merge parser --as code-reviewer-1

# Merges that fail, by a conflict and by a gate.
at 17T13:00
git liza task add clash --title Clash --done-when D --spec specs/vision.md --scope S --kind docs
git liza task add wins --title Wins --done-when D --spec specs/vision.md --scope S --kind docs
TEXT=one work clash coder-1 same.txt
TEXT=two work wins coder-2 same.txt
approve wins code-reviewer-1
approve clash code-reviewer-1
git liza merge wins --as code-reviewer-1
fails git liza merge clash --as code-reviewer-1
git liza claim clash --as coder-1
(cd "$(checkout clash)" && ! git merge -q integration >/dev/null && echo both >same.txt && git commit -q -a -m both)
git liza intent clash --as coder-1 --summary S --validation V
git liza submit clash --as coder-1
git liza task add --from - <<'END'
- {id: breaks, title: Breaks, done_when: D, spec: specs/vision.md, scope: S, kind: docs, verify: echo it reads well, limits: {failed_coders: 5, failures: 9}}
END
work breaks coder-2 broken
approve breaks code-reviewer-1
fails git liza merge breaks --as code-reviewer-1
at 17T15:00
git liza block breaks --as planner-1 --reason 'the gate is wrong' --question 'what may it test?'
git liza task unblock breaks --keep-branch --as planner-1
git liza claim breaks --as coder-1
at 17T17:00
echo unfinished >"$(checkout breaks)/more.txt"
git liza block breaks --as planner-1 --reason 'the gate is wrong still' --question 'what may it test?'
echo finished >"$(checkout breaks)/more.txt"
git liza task unblock breaks --keep-branch --as planner-1

# Limits that block.
git liza task add --from - <<'END'
- {id: loops, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs, limits: {iterations: 1}}
- {id: unread, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs, limits: {no_verdicts: 1}}
END
work loops coder-1 loops.txt
git liza review loops --as code-reviewer-1
git liza reject loops --as code-reviewer-1 --commit "$(git rev-parse liza/loops)" --reason '- [blocker] loops.txt:1 — wrong'
fails git liza claim loops --as coder-1
work unread coder-1 unread.txt
git liza review unread --as code-reviewer-1
git liza release unread --as code-reviewer-1 --no-verdict
fails git liza review unread --as code-reviewer-1
git liza task unblock unread --as planner-1
git liza task unblock loops --keep-branch --as planner-1
git liza task add --from - <<'END'
- {id: argues, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs, limits: {review_cycles: 1}}
- {id: clashes, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs, limits: {integration_failures: 1}}
- {id: first, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs}
END
work argues coder-1 argues.txt
git liza review argues --as code-reviewer-1
fails git liza reject argues --as code-reviewer-1 --commit "$(git rev-parse liza/argues)" --reason '- [blocker] argues.txt:1 — wrong'
git liza task unblock argues --as planner-1
TEXT=one work clashes coder-1 order.txt
TEXT=two work first coder-2 order.txt
approve first code-reviewer-1
git liza reject first --commit "$(git rev-parse liza/first)" --reason '- [blocker] order.txt:1 — a second look'
git liza claim first --as coder-2
git liza intent first --as coder-2 --summary S --validation V
TEXT=three write first order.txt
git liza submit first --as coder-2
git liza review first --as code-reviewer-1
git liza approve first --as code-reviewer-1 --commit "$(git rev-parse liza/first)"
approve clashes code-reviewer-1
git liza merge first --as code-reviewer-1
fails git liza merge clashes --as code-reviewer-1
git liza task unblock clashes --keep-branch --as planner-1

# One person who does it all.
git liza config allow_self_review true
git liza task add alone --title Alone --done-when D --spec specs/vision.md --scope S --kind docs
git liza claim alone
git liza intent alone --summary S --validation V
write alone alone.txt
git liza submit alone
git liza review alone
git liza approve alone --commit "$(git rev-parse liza/alone)"
git liza merge alone ${SIGNED:+--as code-reviewer-1}
git liza config allow_self_review false

# Work that is given up or replaced.
git liza task add --from - <<'END'
- {id: wide, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs}
- {id: needs-wide, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs, depends_on: [wide]}
- {id: narrow, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs}
- {id: dropped, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs}
- {id: needs-dropped, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs, depends_on: [dropped]}
END
git liza claim wide --as coder-1
write wide wide.txt
git liza release wide --as coder-1
git liza task supersede wide --by narrow --reason 'root cause: framed too wide'
liza-act supersede needs-wide
git liza claim dropped --as coder-1
write dropped dropped.txt
git liza release dropped --as coder-1
git liza task abandon dropped --reason 'not wanted' --cascade

# Work from outside, and imports.
at 17T18:00
git checkout -q --detach integration
echo more >>specs/vision.md
git commit -q -a -m 'More vision'
git liza adopt HEAD --reason 'the vision grew'
git merge -q --no-ff -m 'Merge by hand' liza/clash
git liza adopt HEAD --reason 'merged by hand' --tasks clash --accept
git checkout -q main
liza-act import
git liza task add both --title Both --done-when D --spec specs/vision.md --scope S --kind docs
work both coder-2 both.txt

# Steering.
at 17T19:00
git liza pause --reason lunch
git liza resume --reason 'lunch is over'
git liza checkpoint --reason 'a look'
git liza stop --reason night
git liza resume --reason morning
git liza checkpoint decide CONTINUE --message 'as planned'
git liza resume --reason 'as planned'
liza-act trip
git liza board breaker reset --resolution 'the tests are stable'
git liza checkpoint decide REPLAN --message 'smaller tasks'
git liza stop --reason 'night again'
git liza resume --reason 'morning again'
git liza resume --reason 'go on'
git liza agents add coder-3 --provider script --as coder-3
git liza agents rest coder-3 --reason 'no credit' --as coder-3
git liza agents remove coder-3
git liza board archive

# Amendments.
amend config 's/^drift_alarm: .*/drift_alarm: 7/'
amend goal 's/^title: .*/title: Ship it soon/'
amend sprint-1/1 's/^text: .*/text: Read the vision twice/'
amend sprint-1/13 's/^recommend: .*/recommend: draw two/'
amend sprint-1/15 's/count: .*/count: "4"/'

# Sprints and goals.
at 18T09:00
git liza sprint close --reason 'time is up'
git liza sprint retro sprint-1 --message 'short and good'
git liza sprint start --deadline 48h --planned loops --stretch unread
amend sprint 's/^deadline: .*/deadline: 2026-01-30T00:00:00Z/'
git liza session add unread --provider script --role code-reviewer --outcome rejected --input 10 --cached 5 --written 10 --cost 1 --took 1m
git liza sprint retro --message 'going well'
liza-act amend-sprint
git liza sprint close --abort --reason 'another goal'
git liza goal done --reason 'shipped' --force keep --json
git liza goal set 'Ship more' --spec specs/vision.md
git liza session add --provider script --outcome planned --input 10 --written 10 --cost 1 --took 1m
git liza record alignment 'More of it'
git liza record spec-change specs/vision.md --change 'grew'
liza-act amend-goal
git liza goal abort --reason 'enough'
git liza goal set 'Ship less' --spec specs/vision.md --id less

# Who may act.
if test "$SIGNED"; then
	git liza principal add zoe --kind human --agent human:zoe --agent '*' --right admin --user zoe --role planner
else
	git liza principal add ann --kind human --agent human:ann-example --agent '*' --right admin --user ann --role coder,planner,code-reviewer
fi
git liza principal add guests --kind machine --role planner
git liza principal remove guests

# What is in work when the board is kept.
git liza note 'Kept' --for both
git liza review both --as code-reviewer-1
git liza claim narrow --as coder-1
