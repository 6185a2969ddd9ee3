package resident

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestMain(m *testing.M) {
	gittest.Main(m, func(task string, args []string) error {
		repo, err := git.Open(context.Background(), args[0])
		if err != nil {
			return err
		}
		defer repo.Close()
		switch task {
		case "serve":
			return Serve(context.Background(), repo, time.Now)
		case "hand":
			h, err := craftedAtTip(repo, args[1], args[2])
			if err != nil {
				return err
			}
			fmt.Println(handByHand(repo, h))
			return nil
		case "session": // has another process connect, and waits for what a third one gets
			c := exec.Command(os.Args[0], args...)
			c.Env, c.Stderr = append(os.Environ(), "GITSTORE_TEST_CHILD=connect"), os.Stderr
			if err := c.Run(); err != nil {
				return err
			}
			fifo, err := os.ReadFile(args[3])
			fmt.Printf("%s", fifo)
			return err
		case "connect": // leaves its connection to a child, and ends
			return connect(repo, args)
		}
		return errors.New("no such task")
	})
}

// handByHand gives a handover to the resident, and returns the answer.
func handByHand(repo *git.Repo, h gitstore.Handover) gitstore.Answer {
	send, end := Finder(repo, nil)(context.Background())
	if send == nil {
		return ""
	}
	defer end()
	answer, _ := send(context.Background(), h)
	return answer
}

// connect gives a connection to a child that sends a crafted handover when this process has
// ended, and writes what it gets to a pipe.
func connect(repo *git.Repo, args []string) error {
	h, err := craftedAtTip(repo, args[1], args[2])
	if err != nil {
		return err
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	conn, err := proc.Dial(context.Background(), folder(repo), socketName)
	if err != nil {
		return err
	}
	f, err := conn.File()
	if err != nil {
		return err
	}
	c := exec.Command("sh", "-c", `while kill -0 "$3" 2>/dev/null; do :; done; printf '%s\n' "$1" >&3; head -n 2 <&3 >"$2"`, "sh", string(line), args[3], fmt.Sprint(os.Getpid()))
	c.ExtraFiles = []*os.File{f}
	return c.Start()
}

// craftedAtTip is crafted on the tip of the clone.
func craftedAtTip(repo *git.Repo, by, request string) (gitstore.Handover, error) {
	tip, err := repo.Refs.Resolve(context.Background(), layout.State)
	if err != nil {
		return gitstore.Handover{}, err
	}
	return crafted(repo, tip, by, request)
}

// crafted is a handover of a note that somebody wrote by hand.
func crafted(repo *git.Repo, tip git.ID, by, request string) (gitstore.Handover, error) {
	settings, err := repo.Config.Digest(context.Background())
	return gitstore.Handover{Form: gitstore.HandoverForm, Tip: tip, Request: flow.Request(request), Settings: settings,
		Committer: [2]string{"A", "a@example.org"}, Documents: map[string]string{"goals/none.yaml": ""},
		Move: fmt.Sprintf("note by %s\n\nact: note\nby: %s\nat: 2026-01-17T14:06:00Z\nrequest: %s\nfor: all\ntext: crafted\n", by, by, request)}, err
}

// A site is a repository with a board.
type site struct {
	*testing.T
	dir  string
	repo *git.Repo
}

func newSite(t *testing.T, dir string) *site {
	t.Helper()
	repo, err := git.Open(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	s := &site{t, dir, repo}
	tip, err := repo.ParseCommit(t.Context(), "refs/heads/main")
	require.NoError(t, err)
	s.do(func(*flow.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: flow.ActInit, By: "human:ann", Detail: &flow.InitMove{Board: "00112233445566aa", Rules: flow.RulesVersion,
			Goal: "goal-1", Title: "Ship it", Spec: "README", Integration: flow.Branch{Name: "integration", Tip: tip},
			Created: true, Config: flow.DefaultConfig()}}, nil, nil
	})
	return s
}

func (s *site) store() *gitstore.Store {
	s.Helper()
	store, err := gitstore.OpenStore(s.Context(), s.repo, time.Now)
	require.NoError(s, err)
	return store
}

func (s *site) do(build gitstore.Build) gitstore.Result {
	s.Helper()
	r, err := s.store().Do(s.Context(), build)
	require.NoError(s, err)
	return r
}

func note(text string) gitstore.Build {
	return func(*flow.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: flow.ActNote, By: "human:ann", Detail: &flow.NoteMove{For: "all", Text: text}}, nil, nil
	}
}

func (s *site) tip() string { return gittest.Git(s.T, s.dir, "rev-parse", layout.State) }

func (s *site) moves(since string) string {
	return gittest.Git(s.T, s.dir, "rev-list", "--count", since+".."+layout.State)
}

// serves runs Serve until the test ends or stop is called.
func (s *site) serves() (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error, 1)
	repo, err := git.Open(s.Context(), s.dir)
	require.NoError(s, err)
	go func() { done <- Serve(ctx, repo, time.Now) }()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(s, <-done)
			repo.Close()
		}
	}
	s.Cleanup(stop)
	return stop
}

// process runs Serve in another process.
func (s *site) process() *exec.Cmd {
	s.Helper()
	c := exec.Command(os.Args[0], s.dir)
	c.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=serve")
	require.NoError(s, c.Start())
	s.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// handed makes notes until one was made by the resident.
func (s *site) handed() {
	s.Helper()
	store := s.store()
	var landed atomic.Int32
	find := Finder(s.repo, nil)
	store.FindResident = func(ctx context.Context) (gitstore.HandOver, func()) {
		send, end := find(ctx)
		if send == nil {
			return nil, nil
		}
		return func(ctx context.Context, h gitstore.Handover) (gitstore.Answer, bool) {
			a, sent := send(ctx, h)
			if a == gitstore.AnswerLanded {
				landed.Add(1)
			}
			return a, sent
		}, end
	}
	require.Eventually(s, func() bool {
		_, err := store.DoAct(s.Context(), flow.ActNote, note("handed"))
		return err == nil && landed.Load() > 0
	}, 2*time.Minute, 10*time.Millisecond)
}

// request is what a client gets that sends some bytes.
func (s *site) request(sent []byte) string {
	s.Helper()
	conn, err := proc.Dial(s.Context(), folder(s.repo), socketName)
	require.NoError(s, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = conn.Write(sent)
	_ = conn.CloseWrite()
	var got bytes.Buffer
	_, _ = bufio.NewReader(conn).WriteTo(&got)
	return got.String()
}

// A command's move is made by the process that stays, whatever the length of the path.
func TestServe(t *testing.T) {
	t.Parallel()
	deep := filepath.Join(t.TempDir(), strings.Repeat("a-long-name/", 12), "work")
	require.NoError(t, os.MkdirAll(filepath.Dir(deep), 0o777))
	require.NoError(t, os.CopyFS(deep, os.DirFS(gittest.Seeded(t))))
	for name, dir := range map[string]string{"plain": gittest.Seeded(t), "deep": deep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, dir)
			stop := s.serves()
			s.handed()
			info, err := os.Stat(filepath.Join(folder(s.repo), socketName))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			stop()
			require.NoFileExists(t, filepath.Join(folder(s.repo), socketName))
			s.do(note("alone"))
			gittest.Git(t, s.dir, "fsck", "--no-dangling")
		})
	}
}

// Nobody is helped to a move that is not theirs: who sends it is looked at.
func TestAgentsHandOverTheirOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, gittest.Seeded(t))
	s.serves()
	s.handed()
	hand := func(request string, mark *proc.Mark) string {
		var out bytes.Buffer
		c := proc.Command{Path: os.Args[0], Args: []string{s.dir, "human:ann", request}, Stdout: &out, Output: os.Stderr, Mark: mark, Bound: mark != nil,
			Env: append(os.Environ(), "GITSTORE_TEST_CHILD=hand"), Records: work.Records(s.repo)}
		_, err := proc.Run(t.Context(), c)
		require.NoError(t, err)
		return strings.TrimSpace(out.String())
	}
	mark, err := work.NewMark(t.Context(), s.store(), "coder-1", "0011223344556677.child")
	require.NoError(t, err)
	start := s.tip()
	require.Equal(t, string(gitstore.AnswerRefuse), hand("00112233445566bb", mark))
	require.Equal(t, "0", s.moves(start))
	// A client waits only a moment for the resident to take its move.
	gittest.Until(t, "it landed", func() bool { return hand("00112233445566cc", nil) == string(gitstore.AnswerLanded) })
	require.Equal(t, "1", s.moves(start))
}

// A process of a session that leaves its connection to another one and ends is nobody's
// client.
func TestConnectionsOfTheDead(t *testing.T) {
	t.Parallel()
	s := newSite(t, gittest.Seeded(t))
	s.serves()
	s.handed()
	mark, err := work.NewMark(t.Context(), s.store(), "coder-1", "0011223344556677.child")
	require.NoError(t, err)
	fifo := filepath.Join(t.TempDir(), "answer")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	start := s.tip()
	var out bytes.Buffer
	_, err = proc.Run(t.Context(), proc.Command{Path: os.Args[0], Args: []string{s.dir, "human:ann", "00112233445566ff", fifo}, Stdout: &out, Output: os.Stderr,
		Mark: mark, Bound: true, Env: append(os.Environ(), "GITSTORE_TEST_CHILD=session"), Records: work.Records(s.repo)})
	require.NoError(t, err)
	require.NotContains(t, out.String(), "landed")
	require.Equal(t, "0", s.moves(start))
}

// What is not a handover makes no move, and takes nothing from those that are.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, gittest.Seeded(t))
	s.serves()
	s.handed()
	good, err := crafted(s.repo, git.ID(s.tip()), "human:ann", "00112233445566dd")
	require.NoError(t, err)
	newer := good
	newer.Form++
	text := func(h gitstore.Handover) []byte {
		line, err := json.Marshal(h)
		require.NoError(t, err)
		return append(line, '\n')
	}
	start := s.tip()
	for name, sent := range map[string][]byte{
		"nothing":         nil,
		"half a line":     text(good)[:40],
		"not JSON":        []byte("hello\n"),
		"a newer form":    text(newer),
		"an endless line": bytes.Repeat([]byte("x"), longest+1),
		"a deep document": []byte(strings.Repeat("[", 1<<20) + "\n"),
	} {
		require.NotContains(t, s.request(sent), "landed", name)
	}
	require.Equal(t, "0", s.moves(start))
	// The connection of a client that is gone: it may have been made or not, and only once.
	conn, err := proc.Dial(t.Context(), folder(s.repo), socketName)
	require.NoError(t, err)
	_, err = conn.Write(text(good))
	require.NoError(t, err)
	conn.Close()
	s.handed()
	require.LessOrEqual(t, strings.Count(gittest.Git(t, s.dir, "log", "--format=%B", start+".."+layout.State), "request: 00112233445566dd"), 1)
}

// What stands in the place of the socket and is none, or nobody's, is passed by.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(t *testing.T, path string){
		"a file":   func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o666)) },
		"a folder": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o777)) },
		"a link":   func(t *testing.T, path string) { require.NoError(t, os.Symlink("/nowhere", path)) },
		"dead": func(t *testing.T, path string) {
			l, err := proc.Listen(filepath.Dir(path), filepath.Base(path))
			require.NoError(t, err)
			require.NoError(t, l.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, gittest.Seeded(t))
			path := filepath.Join(folder(s.repo), socketName)
			put(t, path)
			store, start := s.store(), s.tip()
			store.FindResident = Finder(s.repo, nil)
			_, err := store.DoAct(t.Context(), flow.ActNote, note("alone"))
			require.NoError(t, err)
			require.Equal(t, "1", s.moves(start))
			if name != "a folder" {
				s.serves() // a process that begins takes the place
				s.handed()
			}
		})
	}
	s := newSite(t, gittest.Seeded(t))
	require.Nil(t, Finder(s.repo, []string{"GIT_OBJECT_DIRECTORY=/elsewhere"}))
	require.Nil(t, Finder(s.repo, []string{"LIZA_NOW=2026-01-17T14:06:00Z"}))
	send, _ := Finder(s.repo, []string{"LIZA_NOW="})(t.Context())
	require.Nil(t, send)
}

// A process that is stopped costs a command a moment, and one that answers nothing only until
// it is gone. The move is made once.
func TestStoppedAndSilent(t *testing.T) {
	t.Parallel()
	s := newSite(t, gittest.Seeded(t))
	process := s.process()
	s.handed()
	require.NoError(t, process.Process.Signal(syscall.SIGSTOP))
	store, start := s.store(), s.tip()
	store.FindResident = Finder(s.repo, nil)
	_, err := store.DoAct(t.Context(), flow.ActNote, note("while it is stopped"))
	require.NoError(t, err)
	require.Equal(t, "1", s.moves(start))
	require.NoError(t, process.Process.Signal(syscall.SIGCONT))
	s.handed()
	require.Equal(t, 1, strings.Count(gittest.Git(t, s.dir, "log", "--format=%B", start+".."+layout.State), "while it is stopped"))

	// One that takes the move and then says nothing is waited for until it ends.
	require.NoError(t, process.Process.Kill())
	_ = process.Wait()
	l, err := proc.Listen(folder(s.repo), socketName)
	require.NoError(t, err)
	go func() {
		conn, err := l.AcceptUnix()
		if err != nil {
			return
		}
		_, _ = bufio.NewReader(conn).ReadBytes('\n')
		_, _ = conn.Write([]byte("{\"taken\":true}\n"))
		_, _ = conn.Write([]byte("half"))
		conn.Close()
	}()
	start = s.tip()
	_, err = store.DoAct(t.Context(), flow.ActNote, note("after a silence"))
	require.NoError(t, err)
	require.Equal(t, "1", s.moves(start))
	l.Close()

	// After a while the command says for whom it waits. Its own limit ends the wait.
	l, err = proc.Listen(folder(s.repo), socketName)
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = conn.Write([]byte("{\"taken\":true}\n"))
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan string, 1)
	s.repo.Notice = func(line string) {
		told <- line
		cancel()
	}
	h, err := crafted(s.repo, git.ID(s.tip()), "human:ann", "00112233445566ee")
	require.NoError(t, err)
	for len(told) == 0 { // on a busy machine the line that it is taken comes too late
		if send, end := Finder(s.repo, nil)(ctx); send != nil {
			_, _ = send(ctx, h)
			end()
		}
	}
	require.Equal(t, fmt.Sprintf("waiting for process %d, whose rush makes the moves of this clone; if it is stopped, type fg in its terminal, or: kill -CONT %[1]d", os.Getpid()), <-told)
	require.Error(t, ctx.Err())
}

// A client that is interrupted says so, and goes by the answer that it then gets. A process that
// makes moves answers at once, unless it has begun; one that says nothing may make the move
// yet.
func TestInterruptedClients(t *testing.T) {
	t.Parallel()
	s := newSite(t, gittest.Seeded(t))
	stop := s.serves()
	s.handed()
	release, err := s.repo.Turns.Queue(t.Context())
	require.NoError(t, err)
	good, err := crafted(s.repo, git.ID(s.tip()), "human:ann", "00112233445566dd")
	require.NoError(t, err)
	line, err := json.Marshal(good)
	require.NoError(t, err)
	start := s.tip()
	require.Equal(t, "{\"taken\":true}\n{\"answer\":\"refuse\"}\n", s.request(append(line, '\n')), "it goes while others have the turn")
	release()
	s.handed()
	require.NotContains(t, gittest.Git(t, s.dir, "log", "--format=%B", start+".."+layout.State), "request: 00112233445566dd")
	stop()

	try := func(answer string) error {
		ctx, cancel := context.WithCancel(t.Context())
		l, err := proc.Listen(folder(s.repo), socketName)
		require.NoError(t, err)
		defer l.Close()
		gone := make(chan struct{})
		go func() {
			for { // on a busy machine the line that it is taken comes too late
				conn, err := l.AcceptUnix()
				if err != nil {
					return
				}
				in := bufio.NewReader(conn)
				_, _ = in.ReadBytes('\n')
				_, _ = conn.Write([]byte("{\"taken\":true}\n"))
				cancel()
				if _, err := in.ReadByte(); err == io.EOF {
					_, _ = conn.Write([]byte(answer))
				}
				<-gone
				conn.Close()
			}
		}()
		store := s.store()
		store.FindResident = Finder(s.repo, nil)
		_, err = store.DoAct(ctx, flow.ActNote, note("interrupted"))
		close(gone)
		return err
	}
	start = s.tip()
	own := 0 // moves that a client made itself, before it was interrupted
	for answer, is := range map[string]func(error) bool{
		"":                          func(err error) bool { return errors.Is(err, gitstore.ErrMayBeMade) },
		"{\"answer\":\"refuse\"}\n": func(err error) bool { return err == context.Canceled },
	} {
		err := try(answer)
		for n := 0; !is(err); err = try(answer) {
			require.True(t, err == nil || errors.Is(err, context.Canceled), err)
			n++
			require.Less(t, n, 20, err)
			if err == nil {
				own++
			}
		}
	}
	require.Equal(t, fmt.Sprint(own), s.moves(start))
}

// When a process is killed that made the moves, the next one goes on.
func TestSuccession(t *testing.T) {
	t.Parallel()
	s := newSite(t, gittest.Seeded(t))
	first := s.process()
	s.handed()
	s.serves()
	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	s.handed()
	gittest.Git(t, s.dir, "fsck", "--no-dangling")
}
