package launcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/stretchr/testify/require"
)

func TestImageOfADevcontainer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"image":"a:1"}`: "a:1",
		"// a\n{/* \"image\": \"b\", */ \"name\": \"x // y\", \"image\": \"a:1\", /* last */\n}": "a:1",
		`{"list": [1, {"image": "no"},], "name": "\"//", "image": "a",}`:                         "a",
		`{"name": ",}", "image": "a,]"}`:                                                         "a,]",
		`{"build": {"dockerfile": "Dockerfile"}}`:                                                "",
		``:                          "",
		`{"image": ["a"]}`:          "",
		`{"image": "a"`:             "",
		`{"image": "a`:              "",
		`{"image": "a" /* no end }`: "",
		`"\`:                        "",
	} {
		got, err := devcontainerImage([]byte(text))
		require.Equal(t, want, got, text)
		require.Equal(t, want == "", err != nil, text)
	}
}

// A world is a clone with a worktree, and an engine of the test.
type world struct {
	*testing.T
	dir string
}

func newWorld(t *testing.T, engine string) world {
	t.Helper()
	w := world{t, t.TempDir()}
	for _, folder := range []string{"repo/.git/objects/info", "repo/.git/hooks", "repo/.git/liza/containers", "work", "own", "lent/info", "far", "home"} {
		require.NoError(t, os.MkdirAll(w.path(folder), 0o755))
	}
	w.write("work/.git", "gitdir: elsewhere\n", 0o644)
	w.write("repo/.git/config", "", 0o644)
	w.write("ca.pem", "", 0o644)
	w.write("repo/.git/objects/info/alternates", "# lent\n"+w.path("lent")+"\n", 0o644)
	w.write("lent/info/alternates", "../far\n"+w.path("lent")+"\n", 0o644)
	w.write("engine", "#!/bin/sh\necho \"$*\" >> "+w.path("log")+"\n"+engine+"\n", 0o755)
	return w
}

func (w world) path(name string) string { return filepath.Join(w.dir, name) }

func (w world) write(name, text string, mode os.FileMode) {
	w.Helper()
	syscall.ForkLock.RLock() // a process that is begun meanwhile would have it open, and it could not be run
	defer syscall.ForkLock.RUnlock()
	require.NoError(w, os.WriteFile(w.path(name), []byte(text), mode))
}

func (w world) session() Session {
	return Session{Name: Name("b0", "coder-1", "0123456789abcdef"), Board: "b0", Generation: "0123456789abcdef", Dir: w.path("work"), Writes: true,
		Common: w.path("repo/.git"), Folders: []string{w.path("own"), w.path("gone")}, Self: w.path("engine")}
}

func (w world) launcher() Launcher {
	return Launcher{Engine: w.path("engine"), Image: "img", User: "7:8", Memory: "1g", Processes: 9, Environ: []string{"PATH=/bin:/usr/bin", "DOCKER_HOST=far", "HOME=/x", "SECRET=no"}}
}

func (w world) command() proc.Command {
	return proc.Command{Path: "agent", Args: []string{"-p", "a b"}, Dir: w.path("work"), Env: []string{"HOME=" + w.path("home"), "PATH=/here", "TMPDIR=/here", "API_KEY=s3cret", "SSL_CERT_FILE=" + w.path("ca.pem")}}
}

// The command line of the engine has all that confines, and the value of no variable.
func TestArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	c, err := w.launcher().Begin(w.command(), w.session())
	require.NoError(t, err)
	bind := func(name, more string) string {
		return " --mount type=bind,source=" + w.path(name) + ",target=" + w.path(name) + more
	}
	require.Equal(t, "run --rm --interactive --init --pull never --name liza-b0-coder-1-0123456789abcdef --label liza.board=b0"+
		" --user 7:8 --cap-drop all --security-opt no-new-privileges --security-opt label=disable --memory 1g --memory-swap 1g --pids-limit 9 --workdir "+w.path("work")+
		" --tmpfs "+w.path("home")+":exec,mode=1777 --tmpfs "+w.path("repo/.git/liza")+":exec,mode=1777"+
		bind("repo/.git", ",readonly")+bind("lent", ",readonly")+bind("far", ",readonly")+bind("work", "")+
		bind("own", "")+bind("ca.pem", ",readonly")+" --mount type=bind,source="+w.path("engine")+",target=/usr/local/bin/git-liza,readonly"+
		" --env HOME --env API_KEY --env SSL_CERT_FILE --entrypoint agent img -p a b", strings.Join(c.Args, " "))
	require.Contains(t, c.Env, "API_KEY=s3cret")
	require.Contains(t, c.Env, "DOCKER_HOST=far")
	require.Contains(t, c.Env, "HOME="+w.path("home"))
	require.NotContains(t, c.Env, "SECRET=no")
	require.FileExists(t, w.session().recordPath())

	// A session that makes moves may write git's data, but not what runs on this machine.
	s := w.session()
	s.Moves, s.Writes = true, false
	c, err = w.launcher().Begin(w.command(), s)
	require.NoError(t, err)
	text := strings.Join(c.Args, " ")
	require.Contains(t, text, bind("repo/.git", "")+bind("lent", ",readonly")+bind("far", ",readonly")+bind("repo/.git/hooks", ",readonly")+bind("repo/.git/config", ",readonly")+bind("work", ",readonly"))
	require.NotContains(t, text, "--tmpfs "+w.path("repo"))

	require.Equal(t, `type=bind,"source=/a,b","target=/a,b"`, mount{path: "/a,b", writes: true}.String())
	c, err = Launcher{}.Begin(w.command(), s)
	require.NoError(t, err)
	require.Equal(t, w.command(), c)
}

// What could not be started is told from a program that failed.
func TestExitsOfEngines(t *testing.T) {
	t.Parallel()
	l := Launcher{Engine: "podman", Image: "img"}
	for _, one := range []struct {
		code  int
		shell bool
		want  string
	}{
		{0, false, ""}, {1, false, ""}, {125, true, "the container could not be started: podman: no space"}, {126, false, "its program is not in the image img"},
		{127, false, "its program is not in the image img: no space"}, {127, true, ""},
	} {
		err := l.CheckExit(proc.Result{Reason: proc.Exited, Code: one.code, Excerpt: "trying\nno space\n"}, one.shell)
		if one.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrNotBegun)
		require.ErrorContains(t, err, one.want)
	}
	require.NoError(t, l.CheckExit(proc.Result{Reason: proc.WallLimit, Code: 125}, false))
	require.NoError(t, Launcher{}.CheckExit(proc.Result{Reason: proc.Exited, Code: 127}, false))
}

// A container is removed with its session. One that cannot be removed stays on record, until it is gone.
func TestEndOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "case $1 in rm) test -e "+"\"$(dirname \"$0\")/up\";; ps) cat \"$(dirname \"$0\")/listed\" 2>/dev/null || :;; esac")
	l, s, ctx := w.launcher(), w.session(), context.Background()
	begin := func() {
		_, err := l.Begin(w.command(), s)
		require.NoError(t, err)
	}
	begin()
	w.write("listed", "0123\n", 0o644)
	err := l.End(ctx, s)
	require.ErrorContains(t, err, "the container liza-b0-coder-1-0123456789abcdef may still run")
	require.ErrorContains(t, err, "rm --force liza-b0-coder-1-0123456789abcdef")
	require.FileExists(t, s.recordPath())

	// Its supervisor may live, or be dead; another's record is not heeded.
	dead := func(generation string) bool { return generation == "0123456789abcdef" }
	alive := func(string) bool { return false }
	removed, err := RemoveLeftovers(ctx, s.Common, l.Engine, l.Environ, alive)
	require.NoError(t, err)
	require.Empty(t, removed)
	_, err = RemoveLeftovers(ctx, s.Common, l.Engine, l.Environ, dead)
	require.ErrorContains(t, err, "may still run")
	removed, err = RemoveLeftovers(ctx, s.Common, "", l.Environ, dead)
	require.NoError(t, err)
	require.Empty(t, removed, "an engine that nobody configured is not run")
	w.write("listed", "", 0o644)
	removed, err = RemoveLeftovers(ctx, s.Common, l.Engine, l.Environ, dead)
	require.NoError(t, err)
	require.Equal(t, []string{s.Name}, removed)
	require.NoFileExists(t, s.recordPath())

	begin()
	w.write("up", "", 0o644)
	require.NoError(t, l.End(ctx, s))
	require.NoFileExists(t, s.recordPath())
	removed, err = RemoveLeftovers(ctx, w.path("nowhere"), "", nil, dead)
	require.NoError(t, err)
	require.Empty(t, removed)
}

// With a real engine and an image that has sh, a container ends with its session, and its
// user is the one who runs the test.
func TestRealEngine(t *testing.T) {
	t.Parallel()
	image := os.Getenv("LIZA_TEST_IMAGE")
	if image == "" {
		t.Skip("LIZA_TEST_IMAGE names no image of an engine on this machine that has sh and git")
	}
	w := newWorld(t, "")
	ctx := context.Background()
	l := Choose(ctx, Settings{Kind: InContainer, Image: image}, w.dir, os.Environ())
	if err := l.Check(ctx); err != nil {
		t.Skip("no container can be made here: " + err.Error())
	}
	s, c := w.session(), w.command()
	c.Path, c.Args, c.Bound = "sh", []string{"-c", "id -u; echo $API_KEY; touch made; touch " + w.path("repo/.git/made") + " || echo kept; cat"}, true
	c, err := l.Begin(c, s)
	require.NoError(t, err)
	c.Stdin = strings.NewReader("said\n")
	r, err := proc.Run(ctx, c)
	require.NoError(t, err)
	require.Equal(t, 0, r.Code, r.Excerpt)
	uid, _, _ := strings.Cut(l.User, ":")
	require.Contains(t, r.Excerpt, uid+"\ns3cret\n")
	require.Contains(t, r.Excerpt, "kept\nsaid\n")
	require.FileExists(t, w.path("work/made"))
	require.NoFileExists(t, w.path("repo/.git/made"))
	require.NoError(t, l.End(ctx, s))
}
