package notify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// A bench is a notifier with a clock that tests set.
type bench struct {
	*Notifier
	now time.Time
	dir string
}

func newBench(t *testing.T, command string) *bench {
	b := &bench{now: noon, dir: t.TempDir()}
	b.Notifier = b.another(command)
	return b
}

// another returns a notifier of another process of the same clone.
func (b *bench) another(command string) *Notifier {
	return &Notifier{Command: command, Every: time.Minute, Common: b.dir, Dir: b.dir, Environ: os.Environ(), Now: func() time.Time { return b.now }, Folder: "repo"}
}

func call(key string, at time.Time) Item {
	return Item{Key: key, Since: noon, Text: key + " asks: Which?", Command: "git liza answer " + key, At: at}
}

func always(Item) bool { return true }

// deliver delivers what is due, and returns when it wants to be called again.
func (b *bench) deliver(t *testing.T) time.Time {
	again, err := b.Deliver(context.Background(), always, false)
	require.NoError(t, err)
	return again
}

func (b *bench) written(name string) string {
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// The calls of 300 agents are one message, and at most one message a minute is sent.
func TestOneMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t, `cat >>out; printf %s "$LIZA_ALARM_KEYS" >keys`)
	var items []Item
	for i := range 300 {
		items = append(items, call(fmt.Sprintf("task-%d", i), b.now))
	}
	require.NoError(t, b.Add(context.Background(), items[:1]))
	require.Equal(t, noon.Add(gather), b.deliver(t), "others may come at the same time")
	require.NoError(t, b.Add(context.Background(), items))
	b.now = noon.Add(gather)
	require.Zero(t, b.deliver(t))
	out := b.written("out")
	require.True(t, strings.HasPrefix(out, "git liza (repo): 300 calls\n\ntask-0 asks: Which?, since 2026-01-17 12:00Z\n  git liza answer task-0\n"), out)
	require.Contains(t, out, "\nand 280 more: git liza inbox\n")
	require.Equal(t, 1, strings.Count(out, "git liza (repo)"))
	require.Len(t, strings.Split(b.written("keys"), "\n"), 20)

	require.NoError(t, b.Add(context.Background(), []Item{call("more", b.now)}))
	b.now = b.now.Add(59 * time.Second)
	require.Equal(t, noon.Add(gather+time.Minute), b.deliver(t))
	b.now = b.now.Add(time.Second)
	require.Zero(t, b.deliver(t))
	require.Contains(t, b.written("out"), "git liza (repo): 1 call\n\nmore asks")
	require.Zero(t, b.deliver(t))
	require.Equal(t, 2, strings.Count(b.written("out"), "git liza (repo)"), "what was told is not told again")
}

// What is over is not told, and what came while no process delivered is.
func TestWhatIsOverIsNotTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, "cat >>out")
	require.NoError(t, b.Add(context.Background(), []Item{call("over", b.now), call("on", b.now)}))
	b.now = noon.Add(time.Hour)
	next := b.another(b.Command)
	_, err := next.Deliver(context.Background(), func(i Item) bool { return i.Key == "on" }, false)
	require.NoError(t, err)
	require.Contains(t, b.written("out"), "on asks")
	require.NotContains(t, b.written("out"), "over asks")
	require.Zero(t, b.deliver(t))
	require.Equal(t, 1, strings.Count(b.written("out"), "git liza (repo)"))
}

// A command that fails, and one that never ends, is ended with all its processes, and
// nothing is lost.
func TestCommandThatFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ line, why string }{
		"fails":      {"echo started >>tries; cat >/dev/null; echo no network; exit 3", "it ends with exit code 3: no network"},
		"never ends": {"echo started >>tries; trap '' TERM; (trap '' TERM; sleep 1000 & echo $! >child; wait) & wait", "it did not end within 200ms and was ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.line)
			b.limit = 200 * time.Millisecond
			require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
			b.now = noon.Add(time.Hour)
			for _, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 16 * time.Minute} {
				require.Equal(t, b.now.Add(pause), b.deliver(t))
				require.Equal(t, b.now.Add(pause), b.deliver(t), "it is not tried again before")
				b.now = b.now.Add(pause)
			}
			require.Equal(t, 6, strings.Count(b.written("tries"), "started"))
			if child := strings.TrimSpace(b.written("child")); child != "" {
				require.Eventually(t, func() bool {
					stat, err := os.ReadFile("/proc/" + child + "/stat")
					return err != nil || strings.Contains(string(stat), ") Z ") // dead, and nobody has asked for its end yet
				}, time.Minute, time.Millisecond)
			}
			trouble, err := TroubleOf(b.dir)
			require.NoError(t, err)
			require.Equal(t, &Trouble{1, 6, test.why}, trouble)

			b.Command, b.limit = "cat >out", time.Minute
			require.NoError(t, b.Add(context.Background(), []Item{call("two", b.now)}))
			require.Zero(t, b.deliver(t))
			require.Contains(t, b.written("out"), "2 calls\n\none asks")
			trouble, err = TroubleOf(b.dir)
			require.NoError(t, err)
			require.Nil(t, trouble)
		})
	}
}

// Of several processes one delivers, and a file that cannot be read is put aside.
func TestOneProcessDelivers(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo told >>out; cat >/dev/null; while ! test -e go; do :; done")
	require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
	b.now = noon.Add(gather)
	second := b.another(b.Command)
	ended := make(chan error, 1)
	go func() {
		_, err := second.Deliver(context.Background(), always, false)
		ended <- err
	}()
	require.Eventually(t, func() bool { return b.written("out") != "" }, time.Minute, time.Millisecond)
	require.Equal(t, b.now.Add(gather), b.deliver(t))
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600))
	require.NoError(t, <-ended)
	require.Equal(t, "told\n", b.written("out"))

	path := filepath.Join(b.dir, "liza", "notify.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	require.Zero(t, b.deliver(t))
	require.NoError(t, b.Add(context.Background(), []Item{call("two", b.now)}))
	require.Equal(t, "{", b.written("liza/notify.json.bad"))
}

// A process that ends while it delivers leaves the message to the next one, and that is no
// failure of the receiver.
func TestDeliveryThatIsInterrupted(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo told >>out; cat >/dev/null; test -e go || sleep 1000")
	require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
	b.now = noon.Add(gather)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	first := b.another(b.Command)
	go func() {
		_, err := first.Deliver(ctx, always, false)
		ended <- err
	}()
	require.Eventually(t, func() bool { return b.written("out") != "" }, time.Minute, time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	trouble, err := TroubleOf(b.dir)
	require.NoError(t, err)
	require.Nil(t, trouble)
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600))
	require.Zero(t, b.deliver(t))
	require.Equal(t, "told\ntold\n", b.written("out"))
}

// A clock that goes back delays nothing for long.
func TestClockBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, "cat >>out")
	require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
	b.now = noon.Add(-24 * time.Hour)
	require.Zero(t, b.deliver(t))
	require.Contains(t, b.written("out"), "one asks")
}

// What is told has no text that a terminal obeys, and no secret.
func TestUntrustedTexts(t *testing.T) {
	t.Parallel()
	b := newBench(t, "cat >out")
	b.Environ = append(b.Environ, "MY_API_KEY=zq81-hidden-value-77")
	hostile := call("t", b.now)
	hostile.Text = "t asks: \x1b[2J\u202egnp\nand 99 calls more\r zq81-hidden-value-77 " + strings.Repeat("漢", 5000)
	require.NoError(t, b.Add(context.Background(), []Item{hostile}))
	b.now = noon.Add(gather)
	require.Zero(t, b.deliver(t))
	out := b.written("out")
	require.Contains(t, out, "\nt asks: ^[[2J<U+202E>gnp and 99 calls more  *** 漢")
	require.NotContains(t, out, "hidden-value")
	require.Less(t, len(out), 2000)
}

// Agents can write the file of what waits: nothing in it ends a process.
func TestFileOfOthers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"sinks":{"command":{"waiting":[{"key":"of an earlier build"}]},"webhook":null}}`, `null`, `[]`, "\x00",
		`{"waiting":[{"key":"a","at":"2026-01-17T11:00:00Z"}],"more":-9,"failed":-9}`,
		`{"waiting":null,"more":9223372036854775807,"failed":9223372036854775807,"next":"9999-01-01T00:00:00Z"}`} {
		b := newBench(t, "cat >>out; exit 1")
		path := queue{b.dir}.path()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		b.deliver(t)
		require.NoError(t, b.Add(context.Background(), []Item{call("task-1", noon.Add(-time.Hour))}))
		b.now = noon.Add(time.Hour)
		b.deliver(t)
		require.Contains(t, b.written("out"), "task-1 asks", text)
		_, err := TroubleOf(b.dir)
		require.NoError(t, err)
	}
}
