package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// asks makes a task that asks a question.
const asks = `cat > ../t.yaml <<'X'
- {title: Parse, done_when: it is parsed, spec: specs/vision.md, scope: parser}
X
git liza task add --from ../t.yaml; git liza claim task-1 --as coder-1
git liza block task-1 --as coder-1 --question 'Table or list?'`

// Every answer has the headers, whatever it answers; none sets a cookie or lets another
// origin read.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks)
	s.serve("--act")
	s.open()
	for name, at := range map[string]string{"a page": s.base, "a file": s.base + "static/live.js", "nothing": s.origin() + "/x", "used": s.address, "no page": s.base + "x"} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut} {
			a := s.ask(method, at, nil, nil)
			require.Equal(t, "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", a.Header.Get("Content-Security-Policy"), name)
			require.Equal(t, "no-referrer", a.Header.Get("Referrer-Policy"), name)
			require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"), name)
			require.Equal(t, "no-store", a.Header.Get("Cache-Control"), name)
			require.Equal(t, "same-origin", a.Header.Get("Cross-Origin-Resource-Policy"), name)
			require.Equal(t, "same-origin", a.Header.Get("Cross-Origin-Opener-Policy"), name)
			for header := range a.Header {
				require.NotContains(t, []string{"Set-Cookie"}, header, name)
				require.False(t, strings.HasPrefix(header, "Access-Control-"), "%s: %s", name, header)
			}
		}
	}
	page := s.page("")
	require.NotContains(t, page, " style=", "styles are in the sheet alone")
	require.NotRegexp(t, `<script[^>]*>[^<]`, page)
	require.NotRegexp(t, ` on[a-z]+="`, page)
	require.Equal(t, "text/event-stream", s.stream("").Header.Get("Content-Type"))
}

// stream opens a stream of changes, which ends with the test.
func (s *site) stream(at string) *http.Response {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"events?page="+url.QueryEscape(at), nil)
	require.NoError(s.t, err)
	got, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	return got
}

// An address opens the pages once; Enter prints another. Elsewhere is nothing.
func TestOpening(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.serve()
	require.Regexp(t, `^http://127\.0\.0\.1:[0-9]+/open/[0-9a-f]{64}$`, s.address)
	require.Equal(t, http.StatusMethodNotAllowed, s.ask(http.MethodHead, s.address, nil, nil).StatusCode, "a look ahead does not use it up")
	s.open()
	require.Regexp(t, `^http://127\.0\.0\.1:[0-9]+/s/[0-9a-f]{32}/$`, s.base)
	require.Equal(t, http.StatusGone, s.ask(http.MethodGet, s.address, nil, nil).StatusCode)

	_, err := io.WriteString(s.typed, "\n")
	require.NoError(t, err)
	line, err := s.lines.ReadString('\n')
	require.NoError(t, err)
	again := strings.TrimSpace(line)
	require.NotEqual(t, s.address, again)
	a := s.ask(http.MethodGet, again, nil, nil)
	require.Equal(t, http.StatusSeeOther, a.StatusCode)
	require.Equal(t, s.base, s.origin()+a.Header.Get("Location"))
	require.Equal(t, http.StatusGone, s.ask(http.MethodGet, again, nil, nil).StatusCode)

	for _, at := range []string{"/", "/favicon.ico", "/s/", "/s/0123456789abcdef0123456789abcdef/", "/open/", "/open/" + strings.Repeat("0", 64), strings.TrimSuffix(strings.TrimPrefix(s.base, s.origin()), "/"), "/../" + s.base[len(s.origin()):]} {
		a := s.ask(http.MethodGet, s.origin()+at, nil, nil)
		require.Equal(t, http.StatusNotFound, a.StatusCode, at)
		require.Empty(t, a.body, at)
	}
	for _, secret := range []string{filepath.Base(again), filepath.Base(s.base)} {
		s.keepsOffDisk(secret)
	}
	require.Equal(t, 0, s.end(interrupt))
}

// keepsOffDisk fails if a file of the repository has a text, or, where the system shows them,
// the arguments or the environment of the program.
func (s *site) keepsOffDisk(text string) {
	s.t.Helper()
	var files []string
	for _, name := range []string{"cmdline", "environ"} {
		files = append(files, fmt.Sprintf("/proc/%d/%s", s.command.Process.Pid, name))
	}
	require.NoError(s.t, filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	}))
	for _, path := range files {
		content, _ := os.ReadFile(path)
		require.NotContains(s.t, string(content), text, path)
	}
}

// A request names the host that it is sent to, or it is refused without a word.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.serve("--host", "liza.example", "--base", "liza")
	s.open()
	require.Contains(t, s.base, "/liza/s/")
	at, err := url.Parse(s.base)
	require.NoError(t, err)
	for host, code := range map[string]int{
		at.Host: 200, "liza.example": 200, "LIZA.example": 200, "liza.example:" + at.Port(): 200,
		"localhost:" + at.Port(): 421, "127.0.0.1": 421, "evil.example": 421, "evil.example:" + at.Port(): 421, "liza.example.evil.example": 421,
		"127.0.0.1:1": 421, "0.0.0.0:" + at.Port(): 421, "liza.example:99": 421,
	} {
		a := s.ask(http.MethodGet, s.base, http.Header{"Host": {host}}, nil)
		require.Equal(t, code, a.StatusCode, host)
		if code != 200 {
			require.Empty(t, a.body, host)
		}
	}
	require.Equal(t, http.StatusMisdirectedRequest, s.ask(http.MethodGet, s.address, http.Header{"Host": {"evil.example"}}, nil).StatusCode)
}

// Without --act nothing can be sent.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks)
	s.serve()
	s.open()
	for _, at := range []string{"", "task/task-1", "agent/coder-1", "inbox"} {
		require.NotContains(t, s.page(at), `method="post"`)
	}
	require.Equal(t, http.StatusNotFound, s.ask(http.MethodGet, s.base+"steer", nil, nil).StatusCode)
	a := s.send(url.Values{"act": {"pause"}, "text": {"lunch"}}, nil)
	require.Equal(t, http.StatusMethodNotAllowed, a.StatusCode)
	require.Contains(t, s.run("git liza status"), "RUNNING")
}

// A form is refused that comes from elsewhere, is too large, was sent before, was made for
// something else, or was never made. None of them changes anything or uses up the form.
func TestRefusedForms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the sender is looked up on Linux alone")
	}
	s := newSite(t, asks)
	s.serve("--act")
	s.open()
	form := formOf(s.page("task/task-1"), "answer")
	require.Equal(t, "sprint-1/1", form.Get("subject"))
	require.Regexp(t, `^[0-9a-f]{32}$`, form.Get("token"))
	form.Set("text", "A list.")
	with := func(name, value string) url.Values {
		other := url.Values{}
		for key, values := range form {
			other[key] = values
		}
		other.Set(name, value)
		return other
	}
	for _, one := range []struct {
		name   string
		form   url.Values
		change func(http.Header)
		code   int
		says   string
	}{
		{"no origin", form, func(h http.Header) { h.Del("Origin") }, 403, "not sent from a page of this server"},
		{"foreign origin", form, func(h http.Header) { h.Set("Origin", "http://evil.example") }, 403, "not sent from a page"},
		{"no page's origin", form, func(h http.Header) { h.Set("Origin", "null") }, 403, "not sent from a page"},
		{"another port", form, func(h http.Header) { h.Set("Origin", "http://127.0.0.1:1") }, 403, "not sent from a page"},
		{"https without a name", form, func(h http.Header) { h.Set("Origin", strings.Replace(s.origin(), "http:", "https:", 1)) }, 403, "not sent from a page"},
		{"two origins", form, func(h http.Header) { h["Origin"] = []string{s.origin(), "http://evil.example"} }, 403, "not sent from a page"},
		{"another site", form, func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") }, 403, "not sent from a page"},
		{"JSON", form, func(h http.Header) { h.Set("Content-Type", "application/json") }, 415, "as browsers send them"},
		{"plain", form, func(h http.Header) { h.Set("Content-Type", "text/plain") }, 415, "as browsers send them"},
		{"too large", with("text", strings.Repeat("x", 64<<10)), nil, 413, "a form takes 64 KiB"},
		{"no token", with("token", ""), nil, 409, "was sent already"},
		{"another token", with("token", strings.Repeat("0", 32)), nil, 409, "was sent already"},
	} {
		a := s.send(one.form, one.change)
		require.Equal(t, one.code, a.StatusCode, "%s: %s", one.name, a.body)
		require.Contains(t, a.body, one.says, one.name)
	}
	other := formOf(s.page("task/task-1"), "answer")
	other.Set("subject", "sprint-1/2")
	require.Equal(t, http.StatusForbidden, s.send(other, nil).StatusCode, "it was made for another question")
	other.Set("subject", "sprint-1/1")
	require.Equal(t, http.StatusConflict, s.send(other, nil).StatusCode, "and is used up")
	note := formOf(s.page("task/task-1"), "note")
	note.Set("act", "pause")
	note.Set("text", "x")
	require.Equal(t, http.StatusForbidden, s.send(note, nil).StatusCode)
	require.Contains(t, s.run("git liza record list questions"), "Table or list?")

	a := s.send(form, nil)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.Contains(t, a.body, "sprint-1/1 of task-1 answered → UNCLAIMED")
	require.Equal(t, http.StatusConflict, s.send(form, nil).StatusCode, "sent again")
	require.Contains(t, s.run("git liza show task-1"), "human:ann-example: A list.")
	require.Contains(t, s.run("git liza show task-1"), "UNCLAIMED")
}

// A refused form is there again with what was typed into it, for the same act and
// submission, and can be sent once. Of a form that nobody knows the text is there alone.
func TestRefusedTextIsKept(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the sender is looked up on Linux alone")
	}
	s := newSite(t, submits)
	s.serve("--act")
	s.open()
	typed := regexp.MustCompile(`(?s)<textarea id="typed"[^>]*>\n(.*?)</textarea>`)
	refuse := func(form url.Values, text string) url.Values {
		t.Helper()
		form.Set("text", text)
		a := s.send(form, nil)
		require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
		found := typed.FindStringSubmatch(a.body)
		require.NotNil(t, found, a.body)
		require.NotContains(t, found[1], "<")
		require.Equal(t, strings.ReplaceAll(text, "\r\n", "\n"), html.UnescapeString(found[1]))
		again := formOf(a.body, form.Get("act"))
		for _, name := range []string{"act", "commit"} {
			require.Equal(t, form.Get(name), again.Get(name), name)
		}
		require.NotEqual(t, form.Get("token"), again.Get("token"))
		return again
	}

	reject := formOf(s.page("task/task-1"), "reject")
	again := refuse(reject, "\r\nsrc/a.txt:99: </textarea><script>alert(1)</script> & so\r\nOverall: no")
	require.Equal(t, "task-1", again.Get("subject"))
	again = refuse(again, "src/a.txt:98: still <b>no</b> such line")
	used := again
	again.Set("text", "src/a.txt:7: seven is wrong")
	a := s.send(again, nil)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.Contains(t, a.body, "task-1 rejected with 1 blocker")
	a = s.send(used, nil)
	require.Equal(t, http.StatusConflict, a.StatusCode)
	require.Contains(t, typed.FindStringSubmatch(a.body)[1], "src/a.txt:7: seven is wrong")
	require.NotContains(t, a.body, `method="post"`)

	s.run(`git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1; seq 2 9 > src/a.txt; git commit -qam again
git liza submit task-1 --as coder-1`)
	page := s.page("task/task-1")
	approve, note, reject := formOf(page, "approve"), formOf(page, "note"), formOf(page, "reject")
	reject.Set("prior-1", "PARTIAL")
	reject.Set("text", "src/a.txt:99: no such line")
	a = s.send(reject, nil)
	require.Equal(t, http.StatusConflict, a.StatusCode)
	require.Contains(t, a.body, "<option selected>PARTIAL</option>")
	refuse(approve, "-")
	refuse(note, "-")
	steer := s.page("steer")
	note = formOf(steer, "note")
	note.Set("subject", `"nobody"<`)
	a = s.send(note, nil)
	require.NotContains(t, a.body, `id="typed"`, "nothing was typed")
	note = formOf(s.page("steer"), "note")
	note.Set("subject", `"nobody"<`)
	again = refuse(note, "Mind the <dates>.")
	again.Set("subject", "coder-1")
	again.Set("text", "Mind the dates.")
	a = s.send(again, nil)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	again = refuse(formOf(steer, "pause"), "-")
	again.Set("text", "lunch")
	require.Equal(t, http.StatusOK, s.send(again, nil).StatusCode)

	s.run("git liza resume --reason R; git liza task add --title T --done-when D --spec specs/vision.md --scope S; git liza claim task-2 --as coder-2; git liza block task-2 --as coder-2 --question 'Table or list?'")
	require.Eventually(t, func() bool { return len(formOf(s.page("task/task-2"), "answer")) > 0 }, time.Minute, time.Millisecond)
	again = refuse(formOf(s.page("task/task-2"), "answer"), "-")
	again.Set("text", "A list.")
	require.Equal(t, http.StatusOK, s.send(again, nil).StatusCode)
	require.Contains(t, s.run("git liza show task-2"), "A list.")
}

// The process that sends a form is looked up: one that descends from a session of an agent
// is refused, although it has the address, a page and its token.
func TestAgentSendsNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the sender is looked up on Linux alone")
	}
	s := newSite(t, asks)
	s.serve("--act")
	s.open()
	ctx := context.Background()
	repo, err := git.Open(ctx, s.dir)
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	store := gitstore.OpenStore(ctx, repo, time.Now)
	mark, err := work.NewMark(ctx, store, "coder-1", board.Generation("0123456789abcdef").Child())
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	env := append(os.Environ(), asAgent+"=yes")
	send := func(bound *proc.Mark, program string, args ...string) string {
		var out bytes.Buffer
		command := proc.Command{Path: program, Args: args, Env: env, Stdout: &out, Output: io.Discard, Wall: time.Minute}
		if bound != nil {
			command.Bound, command.Mark, command.Records = true, bound, work.Records(repo)
		}
		r, err := proc.Run(ctx, command)
		require.NoError(t, err)
		require.Zero(t, r.Code)
		return out.String()
	}
	page := s.base + "task/task-1"
	require.Equal(t, "403", send(mark, self, page, "answer", "A table."))
	// It left the session's environment and process group.
	require.Equal(t, "403", send(mark, "/usr/bin/env", "-u", "LIZA_AGENT_ID", "setsid", "--wait", self, page, "answer", "A table."))
	a := s.ask(http.MethodGet, page, nil, nil)
	require.Contains(t, a.body, "open:")
	// The same program beside all sessions is the person's.
	require.Equal(t, "200", send(nil, self, page, "answer", "A list."))
	require.Contains(t, s.run("git liza show task-1"), "human:ann-example: A list.")
}

// A slow reader holds nobody up, and too many connections and streams wait or are told so.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks)
	s.serve()
	s.open()
	at, err := url.Parse(s.base)
	require.NoError(t, err)

	long, err := net.Dial("tcp", at.Host)
	require.NoError(t, err)
	t.Cleanup(func() { long.Close() })
	_, err = io.WriteString(long, "GET "+at.Path+" HTTP/1.1\r\nHost: "+at.Host+"\r\nX-Long: "+strings.Repeat("x", 24<<10)+"\r\n\r\n")
	require.NoError(t, err)
	line, err := bufio.NewReader(long).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, " 431 ")

	// It asks for a stream and reads nothing of it but its beginning.
	slow, err := net.Dial("tcp", at.Host)
	require.NoError(t, err)
	t.Cleanup(func() { slow.Close() })
	_, err = io.WriteString(slow, "GET "+at.Path+"events?page= HTTP/1.1\r\nHost: "+at.Host+"\r\n\r\n")
	require.NoError(t, err)
	_, err = io.ReadFull(slow, make([]byte, 1))
	require.NoError(t, err)
	var streams []*http.Response
	for range 3 {
		streams = append(streams, s.stream(""))
	}
	for _, one := range streams {
		require.Equal(t, http.StatusOK, one.StatusCode)
	}
	full := s.stream("")
	require.Equal(t, http.StatusServiceUnavailable, full.StatusCode)
	require.Equal(t, "30", full.Header.Get("Retry-After"))
	s.run("git liza pause --reason lunch")
	lines := bufio.NewReader(streams[0].Body)
	for said := ""; !strings.Contains(said, "PAUSED"); {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		said += line
	}
	require.Contains(t, s.page(""), "PAUSED")

	// With all connections taken those give way that sent nothing, or not the whole head of
	// a request. A live page goes on.
	for i := range 2 * mostConnections {
		conn, err := net.Dial("tcp", at.Host)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		if i%2 == 0 {
			_, err = io.WriteString(conn, "GET "+at.Path+" HTTP/1.1\r\n")
			require.NoError(t, err)
		}
	}
	got, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: readLimit / 2}).Get(s.base)
	require.NoError(t, err)
	got.Body.Close()
	require.Equal(t, http.StatusOK, got.StatusCode)
	s.run("git liza resume --reason back")
	for said := ""; !strings.Contains(said, "RUNNING"); {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		said += line
	}
}

// While all connections are in the middle of a request, the next one waits until one is
// closed or has its answer.
func TestConnectionsWait(t *testing.T) {
	t.Parallel()
	real, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := limitConnections(real)
	accepted := make(chan *limitedConn)
	go func() {
		defer close(accepted)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn.(*limitedConn)
		}
	}()
	dial := func() {
		conn, err := net.Dial("tcp", real.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
	}
	var busy []*limitedConn
	for range mostConnections {
		dial()
		c := <-accepted
		c.setQuiet(false)
		busy = append(busy, c)
	}
	dial()
	require.NoError(t, busy[0].Close())
	(<-accepted).setQuiet(false)
	dial()
	busy[1].setQuiet(true)
	(<-accepted).setQuiet(false)
	require.ErrorIs(t, busy[1].SetDeadline(time.Now()), net.ErrClosed)
	require.NoError(t, busy[2].SetDeadline(time.Now()))
	require.Equal(t, mostConnections, l.open)
	dial()
	require.NoError(t, l.Close())
	_, more := <-accepted
	require.False(t, more)
}

// A taken port is named with who has it, and an address of other machines needs a name.
func TestListen(t *testing.T) {
	t.Parallel()
	l, err := listenAt("127.0.0.1:0", nil)
	require.NoError(t, err)
	defer l.Close()
	_, err = listenAt(l.Addr().String(), nil)
	require.ErrorContains(t, err, l.Addr().String()+" is taken")
	if runtime.GOOS == "linux" {
		require.ErrorContains(t, err, " by process ")
	}
	_, err = listenAt("0.0.0.0:0", nil)
	require.ErrorContains(t, err, "name the host")
	named, err := listenAt("0.0.0.0:0", []string{"liza.example"})
	require.NoError(t, err)
	named.Close()
	require.True(t, isWebCommand([]string{filepath.Join("/usr/bin", "git-liza"), "web", "--act"}))
	require.False(t, isWebCommand([]string{"git-liza", "rush"}))
}

// What nobody types into an address is refused with a sentence, on all pages.
func TestStrangeQueries(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks)
	s.serve()
	s.open()
	paths := []string{"", "inbox", "agents", "agent/coder-1", "task/task-1", "task/task-1/diff", "task/task-1/spec", "graph", "timeline", "flow", "costs", "alarms", "log"}
	for _, at := range paths {
		for query, said := range map[string]string{"at=%00": `&#34;\x00&#34;`, "at=HEAD%00": `HEAD\x00`, "q=%ff": `\xff`, "goal=%00": `\x00`, "before=%00": `\x00`, "%00": `\x00`, "at=%zz": "cannot be read", "q=;": "cannot be read"} {
			a := s.ask(http.MethodGet, s.base+at+"?"+query, nil, nil)
			require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s?%s: %s", at, query, a.body)
			require.Contains(t, a.body, said, "%s?%s", at, query)
			require.Contains(t, a.body, "git liza help web")
			require.NotContains(t, a.body, "at=%00", "the links lead to where something is")
		}
	}
	values := []string{"-1", "--all", ":/x", "HEAD", "HEAD^{/x", "@{u}", "refs/liza/state^{tree}", "..", "%0a", "%1b", "*", "9999999h", "99999999999999999999", strings.Repeat("x", 5000)}
	for _, name := range []string{"?at", "log?before", "log?q", "costs?goal", "costs?by", "flow?span", "graph?goal", "timeline?span", "timeline?skip", "timeline?goal", "task/task-1/diff?n", "task/task-1/diff?since", "task/task-1/diff?line", "task/task-1/spec?from"} {
		for _, value := range values {
			a := s.ask(http.MethodGet, s.base+name+"="+value, nil, nil)
			require.Less(t, a.StatusCode, http.StatusInternalServerError, "%s=%.100s: %s", name, value, a.body)
		}
	}
	for _, at := range []string{"agent/%00", "session/%00", "task/%00", "task/%00/diff", "agent/%ff", "session/%ff"} {
		a := s.ask(http.MethodGet, s.base+at, nil, nil)
		require.Equal(t, http.StatusNotFound, a.StatusCode, "%s: %s", at, a.body)
	}
}
