package broker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/broker"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

// A session is a socket with a server that runs each call as a shell line.
type session struct {
	*testing.T
	folder string
	begun  chan string
	stop   func()
}

func newSession(t *testing.T) *session {
	t.Helper()
	t.Parallel()
	s := &session{T: t, folder: t.TempDir(), begun: make(chan string, 100)}
	l, err := proc.Listen("unixpacket", s.folder, "socket")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		(&broker.Server{Token: "secret", Run: s.run}).Serve(ctx, l)
	})
	s.stop = func() { cancel(); l.Close(); served.Wait() }
	t.Cleanup(s.stop)
	return s
}

func (s *session) run(ctx context.Context, c broker.Call) int {
	s.begun <- c.Args[0]
	path, args := proc.Shell(strings.Join(c.Args, " "))
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: c.Dir, Env: os.Environ(), Stdin: c.In, Stdout: c.Out, Output: c.Err, Bound: true})
	if err != nil {
		return 99
	}
	return r.Code
}

// call does a call, and returns its code and what it wrote.
func (s *session) call(ctx context.Context, token, input string, args ...string) (code int, out, errs string, err error) {
	s.Helper()
	dir := s.TempDir()
	files := map[string]*os.File{}
	for _, name := range []string{"in", "out", "err"} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(s, err)
		defer f.Close()
		files[name] = f
	}
	_, err = files["in"].WriteString(input)
	require.NoError(s, err)
	_, err = files["in"].Seek(0, io.SeekStart)
	require.NoError(s, err)
	code, err = broker.Call{Token: token, Args: args, Dir: dir, In: files["in"], Out: files["out"], Err: files["err"]}.Do(ctx, s.folder, "socket")
	text := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(s, err)
		return string(text)
	}
	return code, text("out"), text("err"), err
}

func TestStreamsAndCode(t *testing.T) {
	s := newSession(t)
	code, out, errs, err := s.call(context.Background(), "secret", "input\n", "cat; echo wrong >&2; basename $PWD >/dev/null; exit 7")
	require.NoError(t, err)
	require.Equal(t, 7, code)
	require.Equal(t, "input\n", out)
	require.Equal(t, "wrong\n", errs)
}

// Who is cut off ends what runs; whose server goes is told so.
func TestEitherEndGone(t *testing.T) {
	s := newSession(t)
	gone := filepath.Join(s.TempDir(), "gone")
	line := "trap 'mv " + gone + "2 " + gone + "; exit 3' TERM; echo >" + gone + "2; while :; do sleep 0.01; done"
	runs := func() bool { _, err := os.Stat(gone + "2"); return err == nil }
	once := func(what func()) {
		for !runs() {
			time.Sleep(10 * time.Millisecond)
		}
		what()
	}
	ctx, cancel := context.WithCancel(context.Background())
	go once(cancel)
	_, _, _, err := s.call(ctx, "secret", "", line)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { _, err := os.Stat(gone); return err == nil }, time.Minute, 10*time.Millisecond)
	require.NoError(t, os.Remove(gone))
	go once(s.stop)
	code, _, _, err := s.call(context.Background(), "secret", "", line)
	require.True(t, err != nil || code == 3, "a command that was ended passed")
	require.FileExists(t, gone)
	_, _, _, err = s.call(context.Background(), "secret", "", "true")
	require.ErrorContains(t, err, "the supervisor of this session: ")
}

func TestCallsThatAreRefused(t *testing.T) {
	s := newSession(t)
	_, _, _, err := s.call(context.Background(), "another", "", "true")
	require.EqualError(t, err, "this is the socket of another session")
	_, _, _, err = s.call(context.Background(), "secret", "", strings.Repeat("x", 64<<10))
	require.ErrorContains(t, err, "at most 65536 bytes")
	good, err := json.Marshal(broker.Call{Form: 1, Token: "secret", Args: []string{"true"}})
	require.NoError(t, err)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	fd := int(null.Fd())
	for name, packet := range map[string]struct {
		text   string
		rights []int
		reason string
	}{
		"no files":     {string(good), nil, "three files"},
		"four files":   {string(good), []int{fd, fd, fd, fd}, "three files"},
		"no JSON":      {"\x00\xff{", []int{fd, fd, fd}, "invalid character"},
		"another form": {`{"form":2,"token":"secret","args":["true"]}`, []int{fd, fd, fd}, "another version"},
		"an empty one": {"{}", []int{fd, fd, fd}, "another version"},
	} {
		conn, err := proc.Dial(context.Background(), "unixpacket", s.folder, "socket")
		require.NoError(t, err)
		var oob []byte
		if packet.rights != nil {
			oob = unix.UnixRights(packet.rights...)
		}
		_, _, err = conn.WriteMsgUnix([]byte(packet.text), oob, nil)
		require.NoError(t, err, name)
		reply := make([]byte, 4096)
		n, err := conn.Read(reply)
		require.NoError(t, err, name)
		require.Contains(t, string(reply[:n]), packet.reason, name)
		conn.Close()
	}
	require.Empty(t, s.begun, "something that was refused ran")
}

// Those who connect and say nothing keep others out for two seconds at most.
func TestFlood(t *testing.T) {
	s := newSession(t)
	var silent []net.Conn
	for range 50 {
		conn, err := proc.Dial(context.Background(), "unixpacket", s.folder, "socket")
		require.NoError(t, err)
		silent = append(silent, conn)
	}
	require.Eventually(t, func() bool {
		code, _, _, err := s.call(context.Background(), "secret", "", "exit 3")
		return err == nil && code == 3
	}, time.Minute, 100*time.Millisecond)
	for _, conn := range silent {
		conn.Close()
	}
}

// Those who read neither what their command writes nor its answer keep nobody out, and what they run
// ends when they go.
func TestClientsThatNeverRead(t *testing.T) {
	s := newSession(t)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	begin := func(line string, out *os.File) *net.UnixConn {
		conn, err := proc.Dial(context.Background(), "unixpacket", s.folder, "socket")
		require.NoError(t, err)
		packet, err := json.Marshal(broker.Call{Form: 1, Token: "secret", Args: []string{line}, Dir: t.TempDir()})
		require.NoError(t, err)
		_, _, err = conn.WriteMsgUnix(packet, unix.UnixRights(int(null.Fd()), int(out.Fd()), int(null.Fd())), nil)
		require.NoError(t, err)
		return conn
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	full := begin("yes", write)
	write.Close()
	require.Equal(t, "yes", <-s.begun)
	for range 20 { // some are refused, which is an answer too
		defer begin("exit 4", null).Close()
	}
	require.Eventually(t, func() bool {
		code, _, _, err := s.call(context.Background(), "secret", "", "exit 3")
		return err == nil && code == 3
	}, time.Minute, 10*time.Millisecond)
	full.Close()
	_, err = io.Copy(io.Discard, read) // until nobody has it open
	require.NoError(t, err)
}

// Eight commands run at once, and a ninth is refused.
func TestMostAtOnce(t *testing.T) {
	s := newSession(t)
	free := filepath.Join(t.TempDir(), "free")
	var calls sync.WaitGroup
	var mu sync.Mutex
	ended := map[string]int{}
	for range 8 {
		calls.Go(func() {
			code, _, _, err := s.call(context.Background(), "secret", "", "until test -e "+free+"; do sleep 0.05; done; exit 5")
			mu.Lock()
			defer mu.Unlock()
			ended[fmt.Sprint(code, err)]++
		})
	}
	for range 8 {
		<-s.begun
	}
	_, _, _, err := s.call(context.Background(), "secret", "", "true")
	require.EqualError(t, err, "8 commands run already")
	require.NoError(t, os.WriteFile(free, nil, 0o600))
	calls.Wait()
	require.Equal(t, map[string]int{"5 <nil>": 8}, ended)
}

// A hook may open a repository whose settings are the session's, so it has the domain of hooks.
func TestHooksHaveADomain(t *testing.T) {
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel confines no command in full")
	}
	dir, folder := t.TempDir(), t.TempDir()
	program := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n: >\"$0.$1\"\n"), 0o700))
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		_ = broker.Session{Folder: folder, Token: "secret", Dir: dir, Home: folder, Hooks: &proc.Domain{Read: []string{dir}}}.Serve(ctx, program)
	})
	t.Cleanup(func() { cancel(); served.Wait() })
	s := &session{T: t, folder: folder}
	for word, writes := range map[string]bool{"show": true, "hook": false} {
		code, _, said, err := s.call(ctx, "secret", "", word)
		require.NoError(t, err)
		require.Equal(t, writes, code == 0, said)
		_, err = os.Stat(program + "." + word)
		require.Equal(t, writes, err == nil)
	}
}

// Whatever is sent is answered or cut off, runs nothing, and leaves no file open.
func TestGarbage(t *testing.T) {
	s := newSession(t)
	random := rand.New(rand.NewPCG(1, 2))
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	good, err := json.Marshal(broker.Call{Form: 1, Token: "secre", Args: []string{"true"}})
	require.NoError(t, err)
	for n := range 300 {
		text := slices.Clone(good)
		if n%3 > 0 {
			text = make([]byte, random.IntN(70_000))
			for i := range text {
				text[i] = byte(random.Uint32())
			}
		}
		var oob []byte
		if files := n % 7; files > 0 {
			oob = unix.UnixRights(slices.Repeat([]int{int(write.Fd())}, files)...)
		}
		conn, err := proc.Dial(context.Background(), "unixpacket", s.folder, "socket")
		require.NoError(t, err)
		_, _, _ = conn.WriteMsgUnix(text, oob, nil) // some are too large to be sent
		if n%2 == 0 {
			_ = conn.CloseWrite()
			_, _ = conn.Read(make([]byte, 4096))
		}
		conn.Close()
	}
	write.Close()
	_, err = io.Copy(io.Discard, read) // until nobody has it open
	require.NoError(t, err)
	require.Empty(t, s.begun, "garbage ran")
	require.Eventually(t, func() bool {
		code, _, _, err := s.call(context.Background(), "secret", "", "exit 3")
		return err == nil && code == 3
	}, time.Minute, 10*time.Millisecond)
}
