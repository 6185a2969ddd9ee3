# What the cases share. A case is a program of its own: sh 12-core-bare.sh plays it with the git-liza that is
# first on PATH, in a folder and an environment of its own.
#
# Its last line is its verdict:
#
#   PASS: …   exit 0    what should happen happens
#   FAIL: …   exit 1    it does not; the words are those of table.txt
#   SKIP: …   exit 77   this machine cannot play it
#   VOID: …   exit 2    its honest part was not reached, so it shows nothing
#
# Before the verdict it says "REACHED: …": the honest part, of which git itself gives evidence, came to its end.
# Without that a verdict is void, so that no program passes that only prints errors.
set -u
if [ -z "${T:-}" ]; then # begin anew, with this environment alone
	T=$(mktemp -d "${TMPDIR:-/tmp}/liza-case.XXXXXX") && mkdir "$T/home" "$T/tmp" || exit 2
	exec env -i T="$T" R="$T-r" CONFINE="${CONFINE:-off}" HOME="$T/home" TMPDIR="$T/tmp" PATH="$PATH" TZ=UTC LC_ALL=C.UTF-8 USER=ann \
		GIT_CONFIG_GLOBAL="$T/home/.gitconfig" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 \
		GIT_AUTHOR_DATE=2026-01-17T14:06:00Z GIT_COMMITTER_DATE=2026-01-17T14:06:00Z sh "$0"
fi

# What was begun ends with the case, also what left its session: all of it has this HOME.
left() { grep -lzx "HOME=$HOME" /proc/[0-9]*/environ 2>/dev/null | sed 's,[^0-9],,g' | grep -vx $$; }
finish() {
	code=$?
	trap - EXIT
	for i in 1 2 3 4 5; do
		kill -KILL $(left) 2>/dev/null || break
	done
	cd / && chmod -R u+rwX "$T" "$R" 2>/dev/null; rm -rf "$T" "$R"
	exit $code
}
trap finish EXIT
trap 'exit 2' HUP INT TERM

# $CONFINE is what the kernel does with sessions. Confined, they reach the folder of the script, but not the
# repository beside it.
cat >"$HOME/.gitconfig" <<C
[user]
	name = Ann Example
	email = ann@example.com
[init]
	defaultBranch = main
[liza]
	confine = $CONFINE
[liza "confine"]
	write = $T
[advice]
	detachedHead = false
C

# Verdicts. What was printed on the way stands before those that are not good.
said() { for f in "$T"/*.out; do [ -s "$f" ] && echo "--- ${f##*/}" && tail -n 60 "$f"; done; }
void() { said; echo "VOID: $*"; exit 2; }
pass() { [ -n "${reached:-}" ] || void "passes before its honest part: $*"; echo "PASS: $*"; exit 0; }
fail() { [ -n "${reached:-}" ] || void "fails before its honest part: $*"; said; echo "FAIL: $*"; exit 1; }
skip() { echo "SKIP: $*"; exit 77; }
reached() { reached=yes; echo "REACHED: $*"; }
# must COMMAND...: a step without which the case shows nothing.
must() { "$@" >"$T/must.out" 2>&1 || void "$* ends with $?"; }

# until SECONDS COMMAND...: waits for the command to be true.
until_true() {
	n=$(($1 * 10))
	shift
	while ! "$@"; do
		[ $n -gt 0 ] || return 1
		n=$((n - 1))
		sleep 0.1
	done
}
ended() { ! kill -0 "$1" 2>/dev/null; }

# commit MESSAGE: all that is in the work tree.
commit() { git add -A && git commit -q -m "$1"; }
# repo DIR: a repository with one commit, to work in.
repo() { must git init -q "$1"; cd "$1" && seed; }
seed() { mkdir -p specs && echo '# Vision' >specs/vision.md && commit start || void 'no first commit'; }
# hub: a bare repository, and a clone of it to work in.
hub() { must git init -q --bare "$T/hub.git"; repo "$R"; git remote add origin "$T/hub.git" && git push -q origin main || void 'no hub'; }
# board [FLAGS]: a board whose losers of races do not pause.
board() {
	must git liza init 'A goal' --spec specs/vision.md "$@"
	git config liza.backoff 1ms
}
# soon, once: a task whose session fails is tried again in a second; is a person's at once.
soon() { must git liza config retry.base 1s; }
once() { must git liza config retry.attempts 1; }
# set_up COMMAND: what makes a worktree ready.
set_up() { must git liza config post_worktree "$1"; }
task() { id=$1; shift; must git liza task add "$id" --title "$id" --done-when d --spec specs/vision.md --scope s --kind docs "$@"; }

# The scripted agent. A coder plays work.sh in its worktree, commits $adds or all, submits, and plays after.sh, or
# does once what the hint of a refusal says, and submits again. A reviewer plays review.sh and approves.
work() { cat >"$T/work.sh"; }
after() { cat >"$T/after.sh"; }
review() { cat >"$T/review.sh"; }
agent() { cat >"$T/agent.sh"; }
agent <<'A'
cat >/dev/null
if [ "$LIZA_ROLE" = code-reviewer ]; then
	[ -f "$T/review.sh" ] && . "$T/review.sh"
	exec git liza approve $LIZA_TASK --commit $LIZA_REVIEW_COMMIT
fi
git liza intent $LIZA_TASK --summary s --validation v || exit 1
adds=-A
. "$T/work.sh"
: >"$T/ran-$LIZA_TASK"
git add $adds || exit 1
git diff --cached --quiet || git commit -q -m "feat: $LIZA_TASK" || exit 1
git liza submit $LIZA_TASK >"$T/submit-$LIZA_TASK" 2>&1 && { [ ! -f "$T/after.sh" ] || . "$T/after.sh"; exit 0; }
cat "$T/submit-$LIZA_TASK"
hint=$(sed -n 's/^hint: //p' "$T/submit-$LIZA_TASK" | head -1)
[ -n "$hint" ] && echo "obeys: $hint" && sh -c "$hint" 2>&1
exec git liza submit $LIZA_TASK
A
# supervised: the program of agents whose commits their supervisors make.
supervised() {
	cat >"$T/program.sh"
	git config liza.provider.mine.binary sh
	git config liza.provider.mine.args "$T/program.sh"
	git config liza.provider.mine.output plain
	git config liza.provider.mine.commit supervisor
	git config --add liza.provider.mine.env T
	git config --add liza.provider.mine.env R
	provider=mine
}
# rush [FLAGS]: one coder and one reviewer until nothing is left to do.
rush() { timeout -k 5 "${bound:-120}" git liza rush --until-idle --planners 0 --coders "${coders:-1}" --reviewers "${reviewers:-1}" --provider "${provider:-exec:T='$T' R='$R' sh '$T/agent.sh'}" "$@" >"${out:-$T/rush.out}" 2>&1; }

# By hand. code TASK AGENT COMMANDS: claims, plays the commands in the worktree, commits, submits.
code() {
	must git liza claim "$1" --as "$2"
	(cd ".worktrees/$1" && export LIZA_AGENT_ID="$2" && git liza intent "$1" --summary s --validation v && eval "$3" && commit "feat: $1" && git liza submit "$1") >"$T/code.out" 2>&1 ||
		void "$1 cannot be coded by hand"
}
approve() {
	must git liza review "$1" --as code-reviewer-1
	must git liza approve "$1" --as code-reviewer-1 --commit "$(git rev-parse "refs/heads/liza/$1")"
}

# judges TASK: the commands of somebody who approves a task as a reviewer, and merges it.
judges() { echo "git liza review $1 --as code-reviewer-9; git liza approve $1 --as code-reviewer-9 --commit \$(git rev-parse refs/heads/liza/$1) && git liza merge $1"; }
verdict_stands() { moved "approve $1" || is APPROVED "$1" || is MERGED "$1"; }

# guarded: a server with hooks, the principals ann and coders, and a merged task. ann's clone is $R.
guarded() {
	must git init -q --bare "$T/hub.git"
	must git -C "$T/hub.git" liza hooks install --server
	git -C "$T/hub.git" config liza.server.userEnv PUSHER
	repo "$R"
	board --no-hooks
	git remote add origin "$T/hub.git"
	task t1
	code t1 coder-1 'echo merged >merged.txt'
	approve t1
	must git liza merge t1
	must git liza principal add ann --kind human --agent human:ann-example --right admin --user ann
	git config liza.principal ann
	must git liza principal add coders --kind machine --user coders --role coder
	PUSHER=ann must git push -q origin main integration refs/liza/state 'refs/liza/marks/*:refs/liza/marks/*' 'refs/liza/saved/*:refs/liza/saved/*'
	PUSHER=ann must git liza sync --set origin
	holds merged.txt "$(git -C "$T/hub.git" rev-parse refs/heads/integration)" || void 'nothing was merged'
}
# as_admin: this clone is ann's too.
as_admin() {
	git config liza.principal ann
	PUSHER=ann must git liza sync --set origin
}
# forged NAME: a coder pushes a tag of that name, with a commit that nobody approved.
forged() {
	must git clone -q "$T/hub.git" "$T/coder"
	(cd "$T/coder" && git checkout -q -b evil origin/integration && echo evil >evil.txt && commit evil && git tag "$1" && PUSHER=coders git push -q origin "refs/tags/$1") >"$T/tag.out" 2>&1
	[ -n "$(git -C "$T/coder" tag)" ] || void 'no tag was made'
}

# What git knows of the board, whatever the program says. moved 'submit t1': is such a move in its history?
moved() { git log --format=%s "${2:-refs/liza/state}" 2>/dev/null | grep -q "^$1 "; }
# began, worked TASK...: agents had these tasks, and came to the end of their work; and submitted it.
began() { for t; do [ -e "$T/ran-$t" ] && moved "claim $t" || void "no agent worked on $t"; done; reached "agents worked on $*"; }
worked() { for t; do [ -e "$T/ran-$t" ] && moved "submit $t" || void "no agent submitted $t"; done; reached "agents submitted $*"; }
# claimed TASK: somebody can take it by hand.
claimed() {
	must git liza claim "$1" --as coder-1
	moved "claim $1" && [ -d ".worktrees/$1" ] || void "nobody has $1"
	reached "$1 is claimed"
}
state() { git liza show "$1" --json 2>/dev/null | tr ',{' '\n\n' | sed -n 's/^ *"status": *"\([A-Z_]*\)".*/\1/p' | head -1; }
is() { want=$1; shift; for t; do [ "$(state "$t")" = "$want" ] || return 1; done; }
states() { for t; do echo "$t is $(state "$t")"; done; }
# holds FILE [REF]: is it in the tree of integration?
holds() { git cat-file -e "${2:-refs/heads/integration}:$1" 2>/dev/null; }
# reachable TEXT: is it in an object that a ref of the repository has?
reachable() { git rev-list --objects --all | cut -d ' ' -f 1 | git cat-file --batch | grep -qa "$1"; }
json() { perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)'; }
