package supervise_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// An attack is what a session tries, a shell line that succeeds if the attack does. Unconfined
// each succeeds, unless control says why not.
type attack struct {
	name, line string
	control    string
	open       bool // succeeds confined too, and is named in the guide
	files      bool // succeeds before Landlock 6, and is named in the page on security
}

// Why an attack shows nothing unconfined.
const (
	ruled    = "rules refuse it anywhere"
	noBroker = "no broker there"
)

// attacks know $home, of the person; $c, the git directory of the clone; $l, what is private there; $other,
// another repository of the person with a board; $sup, the supervisor, and $guard, above the session;
// $programs, first on the PATH; $evil, a program that says by got what it could do.
var attacks = []attack{
	{name: "reads the person's key", line: `grep secret "$home/.ssh/id"`},
	{name: "lists the person's home", line: `ls "$home"`},
	{name: "reads the person's other keys", line: `cat "$home/.gnupg/key" "$home/.config/gh/hosts.yml" | grep secret`},
	{name: "stores the person's key by a link", line: `ln -s "$home/.ssh/id" k; git add k && git show :k | grep secret`, control: "git stores the link"},
	{name: "reads the person's git configuration", line: `git config -f "$home/.gitconfig" user.secret`},
	{name: "includes the person's git configuration", line: `git config include.path "$home/.gitconfig"; git config user.secret`},
	{name: "writes what the person's shell starts with", line: `echo >>"$home/.bashrc"`},
	{name: "writes the person's git configuration", line: `git config -f "$home/.gitconfig" core.pager evil`},
	{name: "writes the settings of the person's agent", line: `echo >>"$home/.claude.json"`},
	{name: "puts a program on the person's PATH", line: `echo >"$home/bin/planted"`},
	{name: "replaces a program on the person's PATH", line: `cp "$home/bin/tool" tool; mv tool "$home/bin/tool"`},
	{name: "leaves a file for others' temporary files", line: `mktemp -p "$tmp"`},
	{name: "reads a file that git ignores beside the code", line: `grep secret "$LIZA_CLONE/.env"`},
	{name: "writes the person's work tree", line: `echo >"$LIZA_CLONE/planted"`},
	{name: "writes a prompt there", line: `mkdir -p "$LIZA_CLONE/.liza/prompts"`},
	{name: "writes a hook", line: `echo >"$c/hooks/pre-push"`},
	{name: "writes the clone's configuration", line: `git config -f "$c/config" core.pager evil`},
	{name: "reads the clone's configuration", line: `git config -f "$c/config" liza.confine`},
	{name: "writes attributes for the clone", line: `mkdir -p "$c/info"; echo >>"$c/info/attributes"`},
	{name: "writes what the clone leaves out", line: `mkdir -p "$c/info"; echo >>"$c/info/exclude"`},
	{name: "locks the board", line: `: >"$c/refs/liza/state.lock" && rm "$c/refs/liza/state.lock"`},
	{name: "locks the refs of the clone", line: `: >"$c/packed-refs.lock" && rm "$c/packed-refs.lock"`},
	{name: "writes a ref as a file", line: `git rev-parse HEAD >"$c/refs/heads/planted"`},
	{name: "writes a ref by git", line: `git --git-dir="$c" update-ref refs/heads/planted2 HEAD`},
	{name: "pushes into the clone", line: `git push --no-verify "$LIZA_CLONE" HEAD:refs/heads/planted3`},
	{name: "fetches the board from the clone", line: `git fetch "$LIZA_CLONE" refs/liza/state`},
	{name: "reads the board's ref", line: `cat "$c/refs/liza/state" || grep refs/liza/state "$c/packed-refs"`},
	{name: "adds an object to the clone", line: `echo x | GIT_DIR="$c" git hash-object -w --stdin`},
	{name: "removes an object of the clone", line: `f=$(find "$c/objects" -type f | head -1); cp "$f" kept && mv -f kept "$f"`},
	{name: "writes the index of the clone", line: `cp "$c/index" i; cat i >"$c/index"`},
	{name: "adds a worktree to the clone", line: `git --git-dir="$c" worktree add --detach "$LIZA_WORKTREE/more"`},
	{name: "writes its own entry in the clone", line: `echo >"$(echo "$c"/worktrees/task-1*)/planted"`},
	{name: "reads the key of a principal", line: `grep secret "$l/keys/ann"`},
	{name: "reads the home of another agent", line: `grep secret "$l/homes/coder-2/login"`},
	{name: "writes the home of another agent", line: `echo >"$l/homes/coder-2/.profile"`},
	{name: "writes the home of gates", line: `mkdir -p "$l/homes/gates"; echo >"$l/homes/gates/.profile"`},
	{name: "writes the checkout of another agent", line: `echo >"$LIZA_WORKTREE/../task-2/planted"`},
	{name: "reads the checkout of another agent", line: `cat "$LIZA_WORKTREE/../task-2/specs/vision.md"`},
	{name: "makes a checkout beside its own", line: `mkdir "$LIZA_WORKTREE/../task-3"`},
	{name: "writes the mirror for checkouts", line: `mkdir -p "$l/origin"; echo >"$l/origin/planted"`},
	{name: "writes what hooks are meant to be", line: `echo >>"$l/hooks.json"`},
	{name: "writes its own log", line: `printf '' >>"$l/log/coder-1.log"`},
	{name: "moves the records of guards", line: `mv "$l/guards" "$l/guards2"; mv "$l/guards2" "$l/guards"`},
	{name: "lists the supervisors that listen", line: `ls "$l/rushes"`},
	{name: "asks the supervisors", line: `SUPERVISE_TEST_ASK=$c "$tests" | grep '^1 '`},
	{name: "borrows objects of another repository", line: `echo "$other/.git/objects" >>.git/objects/info/alternates; git cat-file -p $foreign | grep secret`},
	{name: "clones another repository", line: `git clone "$other" cloned`},
	{name: "signals its supervisor", line: `kill -0 $sup`, files: true},
	{name: "signals its guard", line: `kill -0 $guard`, files: true},
	{name: "reads the environment of its supervisor", line: `cat /proc/$sup/environ`},
	{name: "reads the memory of its supervisor", line: `: </proc/$sup/mem`},
	{name: "lists the files of its supervisor", line: `ls -l /proc/$sup/fd/ | grep -e '->'`},
	{name: "reads files as its supervisor sees them", line: `grep secret "/proc/$sup/root$home/.ssh/id"`},
	{name: "goes where its supervisor is", line: `cd /proc/$sup/cwd/ && ls`},
	{name: "reads the memory of its guard", line: `: </proc/$guard/mem`},
	{name: "lists the programs of other sessions", line: `ls "$programs/.."`},
	{name: "puts a program before its own", line: `echo >"$programs/git"`},
	{name: "replaces its git-liza", line: `cp -P "$programs/git-liza" same; mv same "$programs/git-liza"`},
	{name: "works in another repository by its folder", line: `cd "$other"; git liza list | grep Elsewhere`},
	{name: "works there by a link", line: `ln -s "$other" away; cd away; git liza list | grep Elsewhere`},
	{name: "works there by a link for a folder", line: `mkdir away; (while :; do mv away x; ln -s "$other" away; rm away; mv x away; done) 2>/dev/null & n=0
while ! { cd away && git liza list | grep Elsewhere; }; do cd "$LIZA_WORKTREE"; n=$((n+1)); test $n -lt 15 || { kill $!; exit 1; }; done; kill $!`, control: "a race, which is not always won"},
	{name: "works there by variables", line: `LIZA_CLONE=$other GIT_DIR=$other/.git GIT_WORK_TREE=$other git liza list | grep Elsewhere`, control: "variables lead nowhere"},
	{name: "works there by an option", line: `git liza -C "$other" list`, control: "no such option"},
	{name: "reads a file by a command", line: `git liza plan classify "$home/plan.md" | grep class`, control: "those are of the repository"},
	{name: "reads a file by a link", line: `ln -s "$home/plan.yaml" p.yaml; git liza task add --from p.yaml 2>&1 | grep hidden`},
	{name: "reads a file of the clone by a command", line: `git liza task add --from "$l/plan.yaml" 2>&1 | grep hidden`},
	{name: "reads a file by a link to its folder", line: `ln -s "$home" h; git liza task add --from h/plan.yaml 2>&1 | grep hidden`},
	{name: "reads a file by a descriptor of the broker", line: `git liza task add --from /proc/self/root/$home/plan.yaml 2>&1 | grep hidden`},
	{name: "runs what a board's user alone runs", line: `git liza worktree list`},
	{name: "removes hooks", line: `git liza hooks uninstall`, control: ruled},
	{name: "trusts a command", line: `git liza trust gates`, control: ruled},
	{name: "has agents of its own", line: `git liza loop run specs/vision.md 2>&1 | grep 'no story'`},
	{name: "installs texts", line: `git liza contracts install`, control: ruled},
	{name: "repairs the clone", line: `git liza doctor --restore`},
	{name: "stops all", line: `git liza stop`, control: ruled},
	{name: "goes on after a pause", line: `git liza resume`, control: ruled},
	{name: "steers another agent", line: `git liza agents stop coder-2`, control: ruled},
	{name: "acts as a person", line: `git liza --as human:ann-example intent task-1 --summary S --validation V`, control: ruled},
	{name: "acts as another agent", line: `git liza --as coder-2 intent task-2 --summary S --validation V`, control: ruled},
	{name: "acts as another agent by a variable", line: `LIZA_AGENT_ID=coder-2 LIZA_GENERATION= git liza intent task-2 --summary S --validation V`, control: ruled},
	{name: "acts as a person without a variable", line: `env -u LIZA_AGENT_ID -u LIZA_GENERATION git liza pause --reason lie`, control: ruled},
	{name: "acts without its broker", line: `env -u LIZA_SOCKET git liza list`},
	{name: "approves its own work", line: `git liza approve task-1 --commit $(git rev-parse HEAD)`, control: ruled},
	{name: "approves as a reviewer", line: `LIZA_AGENT_ID=code-reviewer-1 LIZA_GENERATION= git liza approve task-1 --commit $(git rev-parse HEAD)`, control: ruled},
	{name: "adopts its own work", line: `git liza adopt $(git rev-parse HEAD)`, control: ruled},
	{name: "has git-liza run a git of its own", line: `mkdir p; cp "$evil" p/git; got wrote env PATH="$PWD/p:$PATH" git-liza list`},
	{name: "has git-liza write by a variable of git", line: `GIT_TRACE2="$LIZA_CLONE/traced" git liza list; test -e "$LIZA_CLONE/traced"`},
	{name: "changes the board's gates", line: `git liza config gates.attack.command true`, control: ruled},
	{name: "serves itself", line: `mkdir f; printf x >f/token; printf '{"Folder":"%s","Token":"x","Dir":"%s","Home":"%s"}' "$PWD/f" "$PWD" "$HOME" | git liza broker & sleep 1
git config core.fsmonitor "$evil"; got wrote env LIZA_SOCKET="$PWD/f/socket" git liza hook pre-commit`, control: noBroker},
	{name: "has a broker that nothing confines", line: `found=; for p in /proc/[0-9]*; do tr '\0' ' ' <$p/cmdline | grep -q '/bin/git-liza broker $' || continue
found=1; if grep -q '^Seccomp:.0$' $p/status; then exit 0; fi; done; test -z "$found"`, control: noBroker},
	{name: "has a hook run its monitor", line: `git config core.fsmonitor "$evil"; got ran git liza hook pre-commit`},
	{name: "has a hook run its monitor, after an option", line: `git config core.fsmonitor "$evil"; got ran git liza --json hook pre-commit`},
	{name: "has a hook read a key by its monitor", line: `git config core.fsmonitor "$evil"; got read git liza hook pre-commit`},
	{name: "has a hook write a hook by its monitor", line: `git config core.fsmonitor "$evil"; got wrote git liza --json hook pre-commit`},
	{name: "has a hook run another setting", line: `echo '* filter=x diff=x' >.gitattributes; mkdir k; for h in post-index-change reference-transaction pre-commit; do cp "$evil" k/$h; done
for s in "core.hooksPath $PWD/k" "diff.external $evil" "diff.x.textconv $evil" "filter.x.clean $evil" "alias.diff-index !$evil" "core.pager $evil"; do git config $s; done
got ran git liza hook pre-commit`, control: "the hook asks for names alone"},
	{name: "has a hook fetch what is missing", line: `git config core.repositoryformatversion 1; git config extensions.partialClone x; git config remote.x.promisor true
git config remote.x.url "ext::$evil"; git config protocol.ext.allow always; git rev-parse HEAD >h; mv .git/refs/heads/liza/task-1 t
echo 1111111111111111111111111111111111111111 >.git/refs/heads/liza/task-1; got ran git liza hook pre-commit; r=$?; mv t .git/refs/heads/liza/task-1; exit $r`},
	{name: "has a commit hook of the person run its file", line: `cp "$evil" hook.sh; got ran git commit --allow-empty -m x; r=$?; rm hook.sh; exit $r`, open: true},
	{name: "has a commit hook of the person write a hook", line: `cp "$evil" hook.sh; got wrote git commit --allow-empty -m x; r=$?; rm hook.sh; exit $r`},
	{name: "has a commit hook of the person read a key", line: `cp "$evil" hook.sh; got read git commit --allow-empty -m x; r=$?; rm hook.sh; exit $r`},
	{name: "has a cause looked into", line: `git config core.fsmonitor "$evil"; say() { echo 'CONFLICT (content): Merge conflict in a' | git liza session diagnose - --run; }; got wrote say`},
	{name: "has git look at a repository in its own", line: `git init n; git -C n commit --allow-empty -m n; git -C n config core.fsmonitor "$evil"; git -c core.fsmonitor= add n
look() { git liza show task-1; git liza check; git liza next; git liza intent task-1 --summary S --validation V; git liza submit task-1; }; got ran look`, control: "its monitor is not asked"},
	{name: "has a gate write a hook", line: `cp "$evil" gate.sh; got wrote git liza gate run attack`},
	{name: "has a gate read a key", line: `cp "$evil" gate.sh; got read git liza gate run attack`},
	{name: "has a gate signal the supervisor", line: `cp "$evil" gate.sh; got signalled git liza gate run attack`, files: true},
	{name: "has a gate write the home of another agent", line: `echo "echo >'$l/homes/coder-2/gate'" >gate.sh; git liza gate run attack`},
	{name: "has a gate run in a folder that is no checkout", line: `git init m; cp "$evil" m/gate.sh; cp "$evil" gate.sh; cd m; got wrote git liza gate run attack`},
	{name: "has a gate act for the person", line: `echo 'env -u LIZA_AGENT_ID -u LIZA_GENERATION git-liza pause --reason lie' >gate.sh; git liza gate run attack`, control: ruled},
	{name: "writes where commands merge", line: `echo 'dirname "$TMPDIR" >above' >gate.sh; git liza gate run attack; echo >"$(cat above)/planted"`},
	{name: "changes the mode of a file of the person", line: `chmod 600 "$home/plan.yaml"`, open: true},
	{name: "reads the words of all processes", line: `cat /proc/$sup/cmdline`, open: true},
	{name: "leaves a setting for its next session", line: `mkdir -p "$HOME/.config/git"; echo >>"$HOME/.config/git/config"`, open: true},
}

// attackScript runs rows, each as a shell of its own, and says how each ended.
const attackScript = `exec 2>&1
tests=$1; cat >/dev/null
. "$rows/places"
programs=${PATH%%:*}; guard=$$
until grep -q 'guard of a session' /proc/$guard/cmdline; do guard=$(cut -d' ' -f4 /proc/$guard/stat); done
cd "$LIZA_WORKTREE"; evil=$PWD/evil.sh
cat >$evil <<EOF
#!/bin/sh
: >'$PWD/ran'
(echo >'$c/hooks/planted') && : >'$PWD/wrote'
grep secret '$l/keys/ann' && : >'$PWD/read'
kill -0 $sup && : >'$PWD/signalled'
exit 1
EOF
chmod +x $evil
got() { mark=$LIZA_WORKTREE/$1; rm -f "$mark"; shift; "$@"; test -e "$mark"; }
git liza intent task-1 --summary S --validation V
git add evil.sh
(setsid sh -c 'exec sleep 3600' & echo "PID $!")
echo '(setsid sleep 3600 >/dev/null 2>&1 & echo $! >daemon)' >gate.sh; git liza gate run attack >/dev/null; echo "PID $(cat daemon)"
cp .git/config "$TMPDIR/config"; cp .git/objects/info/alternates "$TMPDIR/alternates"
for row in "$rows"/*.row; do
	cd "$LIZA_WORKTREE"; cp "$TMPDIR/config" .git/config; cp "$TMPDIR/alternates" .git/objects/info/alternates
	if (. $row) </dev/null >"$TMPDIR/said" 2>&1; then echo "ROW $(basename $row .row) yes"; else echo "ROW $(basename $row .row) no"; tail -n 3 "$TMPDIR/said" | cut -c1-300; fi
done
echo DONE
sleep 3600
`

// An assault is a world, a person's home, and how each attack ended.
type assault struct {
	*world
	home, other string
	succeeded   map[string]bool
	pids        []string
}

// stand makes what attacks are after.
func (a *assault) stand(mode string) {
	w, other := a.world, newWorld(a.T)
	a.other = other.dir
	other.liza("task", "add", "--title", "Elsewhere", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
	for name, text := range map[string]string{".ssh/id": "secret", ".gnupg/key": "secret", ".bashrc": "", ".gitconfig": "[user]\n\tname = Ann Example\n\temail = ann@example.org\n\tsecret = x\n", ".claude.json": "{}", "plan.md": "# A plan\n",
		"plan.yaml": "- hidden: x\n", "bin/tool": "#!/bin/sh\n", "tmp/x": ""} {
		writeBelow(a.T, filepath.Join(a.home, name), text)
	}
	w.tasks(2)
	w.liza("claim", "task-2", "--as", "coder-2")
	for name, text := range map[string]string{"keys/ann": "secret", "homes/coder-2/login": "secret", "plan.yaml": "- hidden: x\n"} {
		writeBelow(a.T, w.private(name), text)
	}
	w.write(filepath.Join(w.dir, ".env"), "secret")
	w.write(filepath.Join(w.dir, ".git", "hooks", "pre-commit"), "#!/bin/sh\ntest ! -e hook.sh || sh ./hook.sh\n")
	w.liza("config", "gates.attack.command", "sh ./gate.sh")
	w.liza("config", "gates.attack.at", "phase")
	w.git("config", "liza.confine", mode)
	w.attempts(1)
}

func writeBelow(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
}

// agent is the program that tries, and the clone and environment of the person whose supervisor starts it.
func (a *assault) agent() (*work.Clone, []string, provider.Provider) {
	rows := a.TempDir()
	foreign := strings.TrimSpace(a.run("sh", "-c", "cd '"+a.other+"' && echo secret | git hash-object -w --stdin"))
	writeBelow(a.T, filepath.Join(rows, "places"), fmt.Sprintf("home='%s' c='%s/.git' l='%[2]s/.git/liza' other='%s' sup=%d foreign=%s tmp='%[1]s/tmp'\n", a.home, a.dir, a.other, os.Getpid(), foreign))
	for n, row := range attacks {
		writeBelow(a.T, filepath.Join(rows, fmt.Sprintf("%02d.row", n)), row.line+"\n")
	}
	script, tests := filepath.Join(rows, "attack.sh"), os.Args[0]
	writeBelow(a.T, script, "rows='"+rows+"'\n"+attackScript)
	p, err := provider.Builtin().Find("exec:sh '"+script+"' '"+tests+"' '"+rows+"'", self)
	require.NoError(a, err)
	var environ []string
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != "HOME" && name != "PATH" {
			environ = append(environ, kv)
		}
	}
	environ = append(environ, "HOME="+a.home, "PATH="+filepath.Join(a.home, "bin")+":"+os.Getenv("PATH"))
	repo, err := git.Open(context.Background(), a.dir)
	require.NoError(a, err)
	clone, err := work.Open(context.Background(), repo, time.Now, environ)
	require.NoError(a, err)
	require.NoError(a, clone.Identify(context.Background(), "human:ann-example", ""))
	return clone, environ, p
}

// newAssault has a session of coder-1 try all.
func newAssault(t *testing.T, mode string) *assault {
	t.Parallel()
	a := &assault{world: newWorld(t), home: t.TempDir(), succeeded: map[string]bool{}}
	a.stand(mode)
	clone, environ, p := a.agent()
	r := a.begin(func(r *supervise.Rush) { r.Clone, r.Environ, r.Limits.Moves = clone, environ, 100 }, coder(p))
	var log []byte
	a.await("the last attack", func() bool {
		var err error
		log, err = os.ReadFile(a.private("log/coder-1.log"))
		return err == nil && strings.Contains(string(log), "DONE\n")
	})
	r.cancel()
	_ = r.wait()
	t.Log(r.said(), string(log))
	for line := range strings.SplitSeq(string(log), "\n") {
		var n int
		var ended string
		if _, err := fmt.Sscanf(line, "ROW %d %s", &n, &ended); err == nil {
			a.succeeded[attacks[n].name] = ended == "yes"
		}
		if pid, is := strings.CutPrefix(line, "PID "); is {
			a.pids = append(a.pids, pid)
		}
	}
	require.Len(t, a.succeeded, len(attacks), "some were not tried")
	return a
}

// Of what a session tries against others, only what is named succeeds. Unconfined the same
// succeeds, so that no row passes because something is missing.
func TestAttacksOfASession(t *testing.T) {
	state, mode := proc.Confinement(), "required"
	switch state {
	case proc.Unconfined:
		t.Skip("SKIPPED: this kernel confines no command")
	case proc.ConfinedFiles:
		mode = "auto"
	}
	t.Run("confined", func(t *testing.T) {
		a := newAssault(t, mode)
		for _, row := range attacks {
			if want := row.open || row.files && state == proc.ConfinedFiles; a.succeeded[row.name] != want {
				t.Errorf("%s: succeeded is %t", row.name, !want)
			}
		}
		require.Len(t, a.pids, 2)
		for _, pid := range a.pids {
			a.write(filepath.Join(a.notes, "daemon"), pid)
			a.gone("daemon")
		}
		a.liza("fsck", "--full")
	})
	t.Run("unconfined", func(t *testing.T) {
		a := newAssault(t, "off")
		for _, row := range attacks {
			if row.control == "" && !a.succeeded[row.name] {
				t.Errorf("%s fails unconfined too", row.name)
			}
		}
	})
}

// What a session may do where the kernel confines only its files.
func TestAttacksWhereFilesAreConfined(t *testing.T) {
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel confines no command in full")
	}
	var text []byte
	var err error
	none := gittest.OnKernel(3, 0, func() {
		c := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestAttacksOfASession$/^confined$")
		c.Env = append(os.Environ(), "SUPERVISE_TEST_PROGRAM="+self)
		text, err = c.CombinedOutput()
	})
	if none != nil {
		t.Skip("SKIPPED: no other kernel can be had here: " + none.Error())
	}
	require.NoError(t, err, string(text))
	require.Contains(t, string(text), "--- PASS: TestAttacksOfASession/confined")
}

// A command that prepares a checkout may run what an earlier session left there.
func TestPostWorktreeIsConfined(t *testing.T) {
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel confines no command in full")
	}
	for _, mode := range []string{"off", "required"} {
		w := newWorld(t)
		w.git("config", "liza.confine", mode)
		w.config(func(c *board.Config) { c.PostWorktree = "! test -e setup.sh || sh setup.sh" })
		require.NoError(t, w.clone.Trust.Allow(t.Context(), w.board().Settings().Config.PostWorktree))
		w.tasks(1)
		w.attempts(2)
		script := filepath.Join(t.TempDir(), "agent.sh")
		writeBelow(t, script, `cat >/dev/null
if test -e setup.sh; then test -e prepared; exit; fi
git liza intent $LIZA_TASK --summary S --validation V
echo 'echo >"$HOME/warm"; : >prepared; echo >'"$LIZA_CLONE/.git/hooks/planted" >setup.sh; echo prepared >.gitignore; git add -A; git commit -q -m setup; git liza handoff $LIZA_TASK --summary S --next-action N
`)
		p, err := provider.Builtin().Find(shell(script), self)
		require.NoError(t, err)
		r := w.begin(func(r *supervise.Rush) { r.UntilIdle = true }, coder(p))
		require.Error(t, r.wait())
		log, err := os.ReadFile(w.private("log/coder-1.log"))
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(w.dir, ".worktrees", "task-1", "prepared"), string(log))
		_, err = os.Stat(filepath.Join(w.dir, ".git", "hooks", "planted"))
		require.Equal(t, mode == "off", err == nil, string(log))
	}
}
