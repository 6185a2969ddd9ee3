package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// noon is the time at which boards of these tests are made and shown.
const noon = "2026-01-17T14:00:00Z"

// built is the program that these tests start.
var built string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// asAgent says in the environment that this test binary is a program that an agent runs.
const asAgent = "WEB_TEST_AGENT"

// testMain compiles the program, and then pins what git reads from its surroundings: go
// finds what it has compiled before by the user's folder.
func testMain(m *testing.M) int {
	if os.Getenv(asAgent) != "" {
		code, err := sendAsAgent(os.Args[1], os.Args[2], os.Args[3])
		fmt.Print(code)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	dir, err := os.MkdirTemp("", "git-liza-web")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	built = filepath.Join(dir, "git-liza")
	if err := gittest.Build(built, false); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LIZA_") {
			os.Unsetenv(name)
		}
	}
	config := "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(config), 0o644); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CONFIG_HOME": filepath.Join(dir, ".config"), "GIT_CONFIG_GLOBAL": filepath.Join(dir, ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": noon,
		"GIT_COMMITTER_NAME": "Grace", "GIT_COMMITTER_EMAIL": "grace@example.org", "GIT_COMMITTER_DATE": noon, "LC_ALL": "C", "TZ": "UTC",
	} {
		os.Setenv(name, value)
	}
	return gittest.Run(m, gittest.ForProcesses)
}

// sendAsAgent sends a form as the process of an agent could that has the address: with the
// right origin and a token that it read from the page.
func sendAsAgent(page, act, text string) (int, error) {
	answer, err := http.Get(page)
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	form := formOf(string(body), act)
	form.Set("text", text)
	at, err := url.Parse(page)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest(http.MethodPost, sendTo(string(body), at), strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", "http://"+at.Host)
	answer, err = http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)
	formStart   = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
)

// sendTo is where the forms of a page are sent.
func sendTo(page string, at *url.URL) string {
	if m := formStart.FindStringSubmatch(page); m != nil {
		return "http://" + at.Host + m[1]
	}
	return ""
}

// formOf returns the hidden fields of the first form of an act.
func formOf(page, act string) url.Values {
	for _, form := range strings.Split(page, "<form ")[1:] {
		fields := url.Values{}
		for _, m := range hiddenField.FindAllStringSubmatch(strings.Split(form, "</form>")[0], -1) {
			fields.Set(m[1], m[2])
		}
		if fields.Get("act") == act {
			return fields
		}
	}
	return url.Values{}
}

// A site is a repository with a board, and git liza web that shows it.
type site struct {
	t     testing.TB
	dir   string
	clock string // LIZA_NOW, "" for the real time

	address string // that opens the pages, as it was printed
	base    string // of all pages, once they are open
	command *exec.Cmd
	typed   io.WriteCloser // what the person types into the terminal
	lines   *bufio.Reader  // what is printed
}

// newSite makes a repository with a board by steps of a shell.
func newSite(t testing.TB, steps string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), clock: noon}
	s.run(`git init -q; git config user.name 'Ann Example'; mkdir specs
printf '# Vision\n\nA small product.\n' > specs/vision.md; git add -A; git commit -qm first; git liza init`)
	if steps != "" {
		s.run(steps)
	}
	return s
}

// environ is the environment of the commands.
func (s *site) environ() []string {
	env := append(os.Environ(), "PATH="+filepath.Dir(built)+":"+os.Getenv("PATH"))
	if s.clock != "" {
		env = append(env, "LIZA_NOW="+s.clock)
	}
	return env
}

// run runs steps of a shell in the repository.
func (s *site) run(steps string) string {
	s.t.Helper()
	cmd := exec.Command("sh", "-ec", steps)
	cmd.Dir, cmd.Env = s.dir, s.environ()
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// serve starts the program, which ends with the test.
func (s *site) serve(args ...string) {
	s.t.Helper()
	cmd := exec.Command(built, append([]string{"web"}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.environ()
	stderr, err := os.Create(filepath.Join(s.t.TempDir(), "stderr"))
	require.NoError(s.t, err)
	defer stderr.Close()
	cmd.Stderr = stderr
	typed, err := cmd.StdinPipe()
	require.NoError(s.t, err)
	printed, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	s.command, s.typed, s.lines = cmd, typed, bufio.NewReader(printed)
	s.t.Cleanup(func() { s.end(os.Kill) })
	line, err := s.lines.ReadString('\n')
	said, _ := os.ReadFile(stderr.Name())
	require.NoError(s.t, err, "%s", said)
	s.address = strings.TrimSpace(line)
}

// end ends the program and returns its exit code.
func (s *site) end(signal os.Signal) int {
	if s.command == nil {
		return 0
	}
	_ = s.command.Process.Signal(signal)
	err := s.command.Wait()
	s.command = nil
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// open opens the pages.
func (s *site) open() {
	s.t.Helper()
	a := s.ask(http.MethodGet, s.address, nil, nil)
	require.Equal(s.t, http.StatusSeeOther, a.StatusCode)
	at, err := url.Parse(s.address)
	require.NoError(s.t, err)
	s.base = "http://" + at.Host + a.Header.Get("Location")
}

// An answer is what the server answered, with its body.
type answer struct {
	*http.Response
	body string
}

// ask sends a request as it is told to. The header Host is the request's host.
func (s *site) ask(method, address string, header http.Header, body io.Reader) answer {
	s.t.Helper()
	request, err := http.NewRequest(method, address, body)
	require.NoError(s.t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		request.Host = host
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: time.Minute}
	got, err := client.Do(request)
	require.NoError(s.t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(s.t, err)
	return answer{got, string(text)}
}

// page returns a page below the secret path.
func (s *site) page(at string) string {
	s.t.Helper()
	a := s.ask(http.MethodGet, s.base+at, nil, nil)
	require.Equal(s.t, http.StatusOK, a.StatusCode, "%s: %s", at, a.body)
	return a.body
}

// origin is that of the pages.
func (s *site) origin() string {
	at, _ := url.Parse(s.base)
	return "http://" + at.Host
}

// send sends a form as a browser does.
func (s *site) send(form url.Values, change func(http.Header)) answer {
	s.t.Helper()
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {s.origin()}, "Sec-Fetch-Site": {"same-origin"}}
	if change != nil {
		change(header)
	}
	return s.ask(http.MethodPost, s.base+"act", header, strings.NewReader(form.Encode()))
}

// events reads the stream of a page's changes until what it said holds, and returns all of
// it.
func (s *site) events(at string, until func(said string) bool) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"events?page="+url.QueryEscape(at), nil)
	require.NoError(s.t, err)
	got, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer got.Body.Close()
	require.Equal(s.t, http.StatusOK, got.StatusCode)
	said := ""
	for lines := bufio.NewReader(got.Body); !until(said); {
		line, err := lines.ReadString('\n')
		require.NoError(s.t, err, "%s", said)
		said += line
	}
	return said
}

// interrupt is what Ctrl-C sends.
var interrupt os.Signal = syscall.SIGINT
