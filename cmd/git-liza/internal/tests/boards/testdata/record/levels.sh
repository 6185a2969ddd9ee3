# Descriptions of plans, levels and the
# barrier between them, gates at several stages and those that cannot run, claims and
# reviews that fail, pressure, a goal that takes the place of one of several. With SIGNED
# the moves are signed by principals, whose keys are in KEYS. It runs in an empty folder,
# with git-liza and the helper liza-act first in PATH.
set -eu
. "$(dirname "$0")/lib.sh"

at 21T09:00
mkdir specs texts
printf '# A small product\n\n## Parts\n' >specs/vision.md
for text in texts task imported numbers half planned later; do
	printf '# Text\n\n## One\n' >texts/$text.md
done
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
	git liza principal add ann --replace --right admin,merge
	for n in 1 2 3; do
		git config liza.agent.coder-$n.principal coders
		git config liza.agent.code-reviewer-$n.principal reviewers
	done
	git config liza.principal.coders.key "$KEYS/coders"
	git config liza.principal.reviewers.key "$KEYS/reviewers"
else
	git liza init 'Ship it'
fi
for agent in planner-1 coder-1 coder-2 coder-3 code-reviewer-1 code-reviewer-2; do
	git liza agents add $agent --provider script --as $agent
done

# A plan: tasks that say all, one that is described anew, one that does the work of a
# merged one again that is taken back.
add parser
merged parser
add gone
merged gone
add later --depends-on parser
liza-act edit later
liza-act import
git liza record discovery 'Numbers' --severity low
git liza task add --record sprint-1/1 counted --title 'Count' --done-when D --spec specs/vision.md --scope S --kind docs
git liza record discovery 'More numbers' --severity low
liza-act convert sprint-1/2
add framed
liza-act supersede framed
liza-act plan later gone
liza-act plan-again later gone
git liza task abandon planned --reason 'not yet' --as planner-1
for task in counted half other-half imported outline numbers; do
	git liza task abandon $task --reason 'not yet'
done

# Gates at a submission: one that passes, one that is skipped, one that fails and need
# not pass.
at 21T10:00
git liza config gates.spell.command true
git liza config gates.spell.at submit
git liza config gates.code.command true
git liza config gates.code.at submit
git liza config gates.code.paths 'src/**'
git liza config gates.style.command 'echo untidy; false'
git liza config gates.style.at submit
git liza config gates.style.required false
amend config 's/^drift_alarm: .*/drift_alarm: 7/'
add spelled
merged spelled

# Levels: a barrier, a gate that fails until a fix is merged, a task that a person leaves
# out, a task that clears what passed.
at 21T11:00
git liza goal schedule --barrier level --levels base,parts
git liza config gates.whole.command 'test -f fix.txt || { echo no fix; exit 1; }'
git liza config gates.whole.at level
git liza goal level pass
add above --depends-on parser
git liza task abandon later --reason 'not wanted' --as planner-1
add fix
merged fix
git liza goal level pass
merged above
git liza goal level pass --without later,planned
add below
git liza task abandon below --reason 'not wanted'
git liza goal level pass

# Claims and reviews that fail: they are tried again, the third blocks the task; three
# with the same error are an anomaly, and fewer claims are allowed.
at 21T12:00
for task in first second third fourth fifth; do
	add $task
done
work first coder-1 first.txt
liza-act ends first coder-1 submitted
for time in 1 2 3; do
	at 21T12:${time}0
	git liza claim second --as coder-$time
	liza-act ends second coder-$time failed "no route to host 10.0.0.$time"
done
git liza task unblock second --as planner-1
git liza review first --as code-reviewer-1
liza-act ends first code-reviewer-1 hung 'no answer in 10m0s'
at 21T13:00
git liza claim third --as coder-1
liza-act ends third coder-1 lost 'the connection ended'
amend goal 's/^title: .*/title: Ship it soon/'
git liza config pressure.rate 40
git liza config retry.strategy linear
git liza config retry.base 1m
git liza config retry.max 10m
git liza config retry.attempts 4
git liza config schedule.barrier level
amend config 's/^drift_alarm: .*/drift_alarm: 8/'
git liza config schedule.barrier none

# A lease that ended, and a gate that can run neither here nor elsewhere.
at 21T14:00
git liza claim fourth --as coder-1
at 21T15:00
git liza claim fourth --as coder-2
git liza gate outage spell --host alpha --error 'spell: not found'
git liza gate outage spell --host beta --error 'spell: not found'
liza-act due checkpoint
git liza checkpoint decide CONTINUE --message 'it is being installed'
git liza gate outage spell --host alpha --over

# A goal that another one takes the place of while the board goes on, and one that has to
# pass a gate before it ends.
at 21T16:00
git liza goal set 'Ship more' --spec specs/vision.md --id second
git liza goal schedule second --barrier level
git liza checkpoint --reason 'another look' --goal goal-1
git liza checkpoint decide PIVOT --goal goal-1 --message 'another market'
git liza goal set 'Ship otherwise' --spec specs/vision.md --id third --pivot goal-1
git liza config gates.last.command true
git liza config gates.last.at goal
git liza config gates.wish.command 'echo not yet; false'
git liza config gates.wish.at goal
git liza config gates.wish.required false
add only --goal second
merged only
git liza goal level pass --goal second
git liza goal done second --reason 'it is there'

# What is in work when the board is kept: a level that failed, a claim that failed, work
# under pressure, a hold.
at 21T17:00
git liza config gates.whole.command 'echo no; false'
git liza goal set 'Ship the rest' --spec specs/vision.md --id fourth
for task in one two three four five; do
	add $task --goal fourth
done
add six --goal fourth --depends-on one
git liza goal schedule fourth --barrier level --levels base,parts
for task in one two three four five; do
	at 21T17:10
	git liza claim $task --as coder-1
	liza-act ends $task coder-1 failed "$task is not there"
done
git config liza.goal fourth
amend goal 's/^title: .*/title: Ship what is left/'
