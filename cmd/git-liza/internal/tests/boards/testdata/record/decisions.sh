# Questions that return their task,
# decisions at checkpoints, automatic moves, reverts, verdicts for accounts, marks, deferred
# records, trips of the circuit breaker that name records. With SIGNED the moves are
# signed by principals, whose keys are in KEYS. It runs in an empty folder, with
# git-liza and the helper liza-act first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

# number prints the id of the newest record of a sprint.
number() { echo "$1/$(($(git show refs/liza/state:liza.yaml | sed -n 's/^  record: //p') - 1))"; }

# account ID prints the arguments of a verdict that somebody gave on a code host.
account() { echo "--for github.com/bob --review $1 --url https://github.com/ann/product/pull/1#review-$1"; }

at 17T09:00
mkdir specs
printf '# A small product\n\n## Parts\n' >specs/vision.md
git init -q -b main .
git add -A
git commit -q -m first
if test "$SIGNED"; then
	mkdir -p .git/liza/keys
	cp "$KEYS/ann" .git/liza/keys/ann
	chmod 600 .git/liza/keys/ann
	git liza init 'Ship it' --admin ann
	git liza principal add coders --kind machine --agent 'coder-*' --user ci --key "$KEYS/coders.pub"
	git liza principal add reviewers --kind machine --agent 'code-reviewer-*' --right merge --key "$KEYS/reviewers.pub"
	git liza principal add ann --replace --right admin,merge,vouch --account github.com/ann
	git liza principal add bob --kind human --user bob --agent human:bob --role code-reviewer --account github.com/bob --account gitlab.example.org/bob
	for n in 1 2; do
		git config liza.agent.coder-$n.principal coders
		git config liza.agent.code-reviewer-$n.principal reviewers
	done
	git config liza.principal.coders.key "$KEYS/coders"
	git config liza.principal.reviewers.key "$KEYS/reviewers"
else
	git liza init 'Ship it'
fi
liza-act alarms
for agent in planner-1 coder-1 coder-2 code-reviewer-1; do
	git liza agents add $agent --provider script --as $agent
done

# A task that asks a person returns to where it was claimed, with the work of its coder;
# another coder continues it.
at 17T09:10
add asks
git liza claim asks --as coder-1
echo half >"$(checkout asks)/asks.txt"
git liza block asks --as coder-1 --question 'Which one?' --question 'Why?' --to human --attempted 'Both'
git liza answer sprint-1/1 'This one'
git liza answer sprint-1/2 'It is smaller'
git liza claim asks --as coder-2
git liza intent asks --as coder-2 --summary S --validation V
TEXT=whole write asks asks.txt
git liza submit asks --as coder-2

# A person approves what was shown; another one did on a code host, as far as the person
# who brings the word says.
git liza review asks
git liza reject asks --commit "$(git rev-parse liza/asks)" --reason '- [blocker] asks.txt:1 — wrong' $(account 1)
git liza claim asks --as coder-2
git liza intent asks --as coder-2 --summary S --validation V
TEXT=better write asks asks.txt
git liza submit asks --as coder-2
git liza approve asks --commit "$(git rev-parse liza/asks)" $(account 2)
git liza merge asks --as code-reviewer-1

# A question to a role, which takes and answers it. The fourth of a task is a failure.
at 17T10:00
add often
for time in 1 2 3 4; do
	git liza claim often --as coder-1
	git liza block often --as coder-1 --question 'How?' --to code-reviewer
	git liza take "$(number sprint-1)" --as code-reviewer-1
	git liza answer "$(number sprint-1)" 'So' --as code-reviewer-1
done
git liza claim often --as coder-1
git liza block often --as coder-1 --reason 'nothing works' --question 'What now?'
git liza answer often 'Try again' --as planner-1

# Automatic checkpoints of a goal: by merges, by its budget, by a deadline, by a file.
at 17T11:00
git liza config budgets.goal.tokens 1000
git liza config checkpoint.every 2
git liza config checkpoint.share 50
git liza config goal.auto true
amend config 's/^drift_alarm: .*/drift_alarm: 7/'
add base
add upper --depends-on base
add other
merged base
liza-act due checkpoint
git liza checkpoint decide CONTINUE --message 'as planned'
git liza session add --as planner-1 --provider script --outcome planned --input 500 --written 100 --cost 1.5
liza-act due checkpoint
git liza checkpoint decide CONTINUE --message 'more of it'
liza-act checkpoint-file
git liza checkpoint decide ADJUST_CONTRACTS --message 'the tests are no contract'
git liza resume --reason 'they are'
git liza config checkpoint.share 0
git liza config checkpoint.every 0

# Decisions that hold tasks back, until they are answered or a person lifts them.
at 17T12:00
git liza checkpoint --reason 'half time' --goal goal-1
git liza checkpoint decide REPLAN --message 'smaller steps' --tasks upper,other
amend goal 's/^title: .*/title: Ship it soon/'
git liza record alignment 'Two steps' --answers checkpoint-4 --as planner-1
git liza checkpoint --reason 'once more'
git liza checkpoint decide ADJUST_SPECS --message 'the spec lacks a part' --goal goal-1
git liza checkpoint lift --goal goal-1 --reason 'it is there'
git liza checkpoint --reason night
git liza checkpoint decide STOP --message 'for today'
git liza resume --reason morning
git liza checkpoint decide CONTINUE --message 'go on'

# Merged work is taken back, in a review and at once, done again, and the revert itself
# is taken back.
at 17T13:00
merged other
git liza undo other --reason 'it is too slow'
git liza review undo-other --as code-reviewer-1
git liza approve undo-other --as code-reviewer-1 --commit "$(git rev-parse liza/undo-other)"
git liza merge undo-other --as code-reviewer-1
git liza undo base --reopen --reason 'it is wrong'
git liza undo undo-other --now --reason 'it was fast'
git liza review undo-base --as code-reviewer-1
git liza approve undo-base --as code-reviewer-1 --commit "$(git rev-parse liza/undo-base)"
git liza merge undo-base --as code-reviewer-1
git checkout -q --detach integration
git rm -q other.txt
git commit -q -m 'Remove the other'
git liza adopt HEAD --reason 'other is gone' --reverts other
git checkout -q main
add gone
merged gone
add back --reverts gone
git liza task edit back --clear reverts
git liza task edit back --reverts gone
git liza record discovery 'It is gone' --severity low
git liza task add --record "$(number sprint-1)" anew --title 'It again' --done-when D --spec specs/vision.md --scope S --kind docs --depends-on back --reopens gone
add thrown
git liza record discovery 'Two of it' --severity low
git liza task add --record "$(number sprint-1)" twice --draft --title 'Gone twice' --done-when D --spec specs/vision.md --scope S --kind docs --reverts gone
liza-act supersede-reverts thrown gone
liza-act import-reverts gone

# Records that can wait, and a pattern of them that trips the circuit breaker.
at 17T14:00
git liza record discovery 'No diagram' --severity low --urgency deferred
git liza record defer "$(number sprint-1)" --until 72h --reason 'after the release'
amend "$(number sprint-1)" 's/^text: .*/text: No diagrams/'
for count in 3 4; do
	git liza record anomaly retry_loop --task upper --detail count=$count --detail 'error_pattern=time out' --as coder-1
done
liza-act trip
git liza checkpoint decide CONTINUE --message 'once they are stable'
git liza board breaker reset --resolution 'the tests are stable'
git liza resume --reason 'they are'
git liza record anomaly retry_loop --task upper --detail count=5 --detail 'error_pattern=time out' --as coder-1
git liza stop --reason night
liza-act trip
git liza board breaker reset --resolution 'they are stable now'
git liza resume --reason morning
git liza checkpoint decide CONTINUE --message 'go on'

# A task that replaces another and fails, and one that is rejected four times: both are
# recorded by the moves.
at 17T15:00
git liza claim half-back --as coder-1
git liza block half-back --as coder-1 --reason 'nobody knows how' --question 'How?'
add wrong
prior=
for time in 1 2 3 4; do
	git liza claim wrong --as coder-1
	git liza intent wrong --as coder-1 --summary S --validation V
	TEXT=$time write wrong wrong.txt
	git liza submit wrong --as coder-1
	git liza review wrong --as code-reviewer-1
	git liza reject wrong --as code-reviewer-1 --commit "$(git rev-parse liza/wrong)" --reason "- [blocker] wrong.txt:1 — not $time$prior"
	prior='
Prior Feedback Status:
- RESOLVED: 1'
done

# A state with a name, and sprints that supervisors close and open.
at 17T16:00
git liza board mark before-the-cut --reason 'try it otherwise'
git liza board archive
git liza sprint retro --message 'short and good' --gap 'the parts had no words' --contract 'the tests are slow' --action 'write them down' --action 'run them at night'
amend sprint 's/^\(  *- \)the tests are slow/\1the tests are too slow/'
git liza sprint close --reason 'time is up'
git liza sprint start --deadline 1h --planned upper --stretch often
at 17T18:00
liza-act due checkpoint
git liza checkpoint decide CONTINUE --message 'a day more'
for task in upper task-1 anew back twice half-back imported-back wrong; do
	git liza task abandon $task --reason 'not wanted'
done
liza-act due sprint_close
liza-act due sprint_start
git liza task abandon often --reason 'not wanted'
git liza sprint close --reason 'nothing is left'
liza-act due complete

# A goal that another one follows by a decision, and what is in work when the board is
# kept: a question of a task with saved work, a hold.
at 17T19:00
git liza goal set 'Ship more' --spec specs/vision.md
git liza checkpoint --reason 'another look'
git liza checkpoint decide PIVOT --message 'another market'
git liza goal set 'Ship otherwise' --spec specs/vision.md
for task in waits held; do
	add $task
done
git liza claim waits --as coder-1
write waits waits.txt
git liza block waits --as coder-1 --question 'Which market?' --to human
git liza checkpoint --reason 'the last look'
git liza checkpoint decide REPLAN --message 'smaller steps'
