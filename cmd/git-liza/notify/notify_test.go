package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/poster"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// A bench is a notifier with a clock that tests set.
type bench struct {
	*Notifier
	now time.Time
	dir string
}

func newBench(t *testing.T, c Config) *bench {
	b := &bench{now: noon, dir: t.TempDir()}
	b.Notifier = b.another(c)
	return b
}

// another returns a notifier of another process of the same clone.
func (b *bench) another(c Config) *Notifier {
	if c.Every == 0 {
		c.Every = time.Minute
	}
	n := &Notifier{Config: c, Common: b.dir, Dir: b.dir, Environ: os.Environ(), Now: func() time.Time { return b.now }, Folder: "repo", Post: post}
	n.SetAbout("0123456789ab", "human:ann")
	return n
}

// post posts as the program does.
func post(ctx context.Context, p Posting) (code int, err error) {
	return poster.Post(ctx, p.Address, p.Body, p.Signature, p.Time)
}

func call(key string, at time.Time) Item {
	return Item{Key: key, Kind: "question", Subject: key, Since: noon, Text: key + " asks: Which?", Command: "git liza answer " + key, At: at}
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
	b := newBench(t, Config{Command: `cat >>out; printf %s "$LIZA_ALARM_KEYS" >keys`})
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
	b := newBench(t, Config{Command: "cat >>out"})
	require.NoError(t, b.Add(context.Background(), []Item{call("over", b.now), call("on", b.now)}))
	b.now = noon.Add(time.Hour)
	next := b.another(b.Config)
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
			b := newBench(t, Config{Command: test.line})
			b.open()
			b.sinks = []sink{command{line: test.line, dir: b.dir, environ: os.Environ(), time: 200 * time.Millisecond, grace: 100 * time.Millisecond}}
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
			troubles, err := Troubles(b.dir)
			require.NoError(t, err)
			require.Equal(t, []Trouble{{"command", 1, 6, test.why}}, troubles)

			b.sinks = []sink{command{line: "cat >out", dir: b.dir, environ: os.Environ(), time: time.Minute}}
			require.NoError(t, b.Add(context.Background(), []Item{call("two", b.now)}))
			require.Zero(t, b.deliver(t))
			require.Contains(t, b.written("out"), "2 calls\n\none asks")
			troubles, err = Troubles(b.dir)
			require.NoError(t, err)
			require.Empty(t, troubles)
		})
	}
}

// A hook is a server that keeps what it gets and answers as it is told.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
}

func newHook(t *testing.T, answer func(http.ResponseWriter, *http.Request)) *hook {
	h := &hook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.bodies, h.heads = append(h.bodies, string(text)), append(h.heads, r.Header)
		h.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) got() (bodies []string, heads []http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bodies, h.heads
}

// A webhook gets JSON that is signed, and has no text that a terminal obeys, and no
// secret.
func TestWebhook(t *testing.T) {
	t.Parallel()
	h := newHook(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("s3cret\n"), 0o600))
	b := newBench(t, Config{URL: h.URL, Secret: key})
	b.Environ = append(b.Environ, "MY_API_KEY=zq81-hidden-value-77")
	hostile := call("t", b.now)
	hostile.Text = "t asks: \x1b[2J\u202egnp\nand 99 calls more\r zq81-hidden-value-77 " + strings.Repeat("漢", 5000)
	require.NoError(t, b.Add(context.Background(), []Item{hostile}))
	b.now = noon.Add(gather)
	require.Zero(t, b.deliver(t))
	bodies, heads := h.got()
	require.Len(t, bodies, 1)
	sum := hmac.New(sha256.New, []byte("s3cret"))
	sum.Write([]byte(bodies[0]))
	require.Equal(t, "sha256="+hex.EncodeToString(sum.Sum(nil)), heads[0].Get("X-Liza-Signature"))
	require.Equal(t, "application/json", heads[0].Get("Content-Type"))
	var got posted
	require.NoError(t, json.Unmarshal([]byte(bodies[0]), &got))
	require.Equal(t, 1, got.Version)
	require.Equal(t, "0123456789ab", got.Board)
	require.Equal(t, "human:ann", got.Person)
	require.Len(t, got.Items, 1)
	require.Equal(t, "git liza answer t", got.Items[0].Command)
	require.True(t, strings.HasPrefix(got.Items[0].Text, "t asks: ^[[2J<U+202E>gnp and 99 calls more  *** 漢"), got.Items[0].Text)
	require.NotContains(t, bodies[0], "hidden-value")
	require.LessOrEqual(t, len(bodies[0]), maxBody)
}

// A webhook that answers with an error, or with a redirect to another host, or not at all,
// is tried again; the other receiver is not kept from its message.
func TestWebhookThatFails(t *testing.T) {
	t.Parallel()
	other := newHook(t, func(http.ResponseWriter, *http.Request) {})
	hang := make(chan struct{})
	defer close(hang)
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		why    string
	}{
		"500": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "it answers 500"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "it answers 307, a redirect, which is not followed"},
		"hangs": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"},
	} {
		h := newHook(t, test.answer)
		address := h.URL + "/token-in-the-address"
		b := newBench(t, Config{URL: address, Command: "cat >out"})
		b.open()
		b.sinks[1] = webhook{address, "", 300 * time.Millisecond, post}
		require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
		b.now = noon.Add(gather)
		require.Equal(t, b.now.Add(time.Minute), b.deliver(t), name)
		require.Contains(t, b.written("out"), "one asks", name)
		troubles, err := Troubles(b.dir)
		require.NoError(t, err)
		require.Equal(t, []Trouble{{"webhook", 1, 1, test.why}}, troubles, name)
		require.NotContains(t, b.written("liza/notify.json"), "token-in-the-address")
		bodies, _ := h.got()
		require.Len(t, bodies, 1)
	}
	bodies, _ := other.got()
	require.Empty(t, bodies)
}

// Of several processes one delivers, and a file that cannot be read is put aside.
func TestOneProcessDelivers(t *testing.T) {
	t.Parallel()
	b := newBench(t, Config{Command: "echo told >>out; cat >/dev/null; while ! test -e go; do :; done"})
	require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
	b.now = noon.Add(gather)
	second := b.another(b.Config)
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
	b := newBench(t, Config{Command: "echo told >>out; cat >/dev/null; test -e go || sleep 1000"})
	require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
	b.now = noon.Add(gather)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	first := b.another(b.Config)
	go func() {
		_, err := first.Deliver(ctx, always, false)
		ended <- err
	}()
	require.Eventually(t, func() bool { return b.written("out") != "" }, time.Minute, time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	troubles, err := Troubles(b.dir)
	require.NoError(t, err)
	require.Empty(t, troubles)
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600))
	require.Zero(t, b.deliver(t))
	require.Equal(t, "told\ntold\n", b.written("out"))
}

// A clock that goes back delays nothing for long.
func TestClockBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, Config{Command: "cat >>out"})
	require.NoError(t, b.Add(context.Background(), []Item{call("one", b.now)}))
	b.now = noon.Add(-24 * time.Hour)
	require.Zero(t, b.deliver(t))
	require.Contains(t, b.written("out"), "one asks")
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{"https://example.org/x": true, "http://127.0.0.1:1/": true, "example.org": false, "ftp://example.org": false, "https://": false, "file:///etc/passwd": false, "https://a b": false} {
		require.Equal(t, ok, CheckAddress(address) == nil, address)
	}
}

// Agents can write the file of what waits: nothing in it ends a process.
func TestFileOfOthers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"sinks":{"command":null,"other":null}}`, `{"sinks":null}`, `[]`, "\x00",
		`{"sinks":{"command":{"waiting":[{"key":"a","at":"2026-01-17T11:00:00Z"}],"more":-9,"failed":-9}}}`,
		`{"sinks":{"command":{"waiting":null,"more":9223372036854775807,"failed":9223372036854775807,"next":"9999-01-01T00:00:00Z"}}}`} {
		b := newBench(t, Config{Command: "cat >>out; exit 1"})
		path := queue{b.dir}.path()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		b.deliver(t)
		require.NoError(t, b.Add(context.Background(), []Item{call("task-1", noon.Add(-time.Hour))}))
		b.now = noon.Add(time.Hour)
		b.deliver(t)
		require.Contains(t, b.written("out"), "task-1 asks", text)
		_, err := Troubles(b.dir)
		require.NoError(t, err)
	}
}
