package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// hostileTexts are what somebody could write to be more than text.
func hostileTexts() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</textarea></title><b>`, `{{.}}`, `javascript:alert(1)`,
		"\x1b[31mred\x1b[m\x1b]8;;http://evil.example\x07link", "\u202eevil\u202c \u2066left\u2069 \u200f\u200b\ufeff", "\u0085\u009b31m", "a\u2028b\u2029c",
		strings.Repeat("x", 4096), "&lt;b&gt; &amp;", "-->", "]]>", `<!-- hidden -->`,
		"z\u200bw\u200cj\u200dn\u2060", "v\ufe0fs\ufe00\U000e0101 \u034f\u3164",
	}
}

// No text is more than text on any page: it begins no element and no attribute, and a
// browser obeys no character of it.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.clock = ""
	for i, text := range hostileTexts() {
		n := fmt.Sprint(i + 1)
		clean := strings.Map(func(r rune) rune { // what the rules refuse in a task does not get there
			if unicode.IsControl(r) && r != '\n' || r == '\u2028' || r == '\u2029' {
				return '?'
			}
			return r
		}, text)
		title := []rune(clean)[:min(len([]rune(clean)), 4096)]
		task, err := json.Marshal([]map[string]any{{"id": "task-" + n, "title": string(title), "done_when": clean, "spec": "specs/vision.md", "scope": clean, "acceptance": []string{clean}, "context": clean}})
		require.NoError(t, err)
		gittest.Write(t, s.dir, "../tasks.json", string(task))
		s.run("git liza task add --from ../tasks.json")
		gittest.Write(t, s.dir, "../text", text)
		s.run("git liza claim task-" + n + " --as coder-" + n + "; git liza block task-" + n + " --as coder-" + n + " --reason \"$(cat ../text)\" --question \"$(cat ../text)\" || git liza block task-" + n + " --as coder-" + n + " --question x")
		s.run("git liza note \"$(cat ../text)\" || :")
	}
	s.serve("--act")
	s.open()
	pages := []string{"", "inbox", "inbox?all", "agents", "log", "alarms", "graph", "steer"}
	for i := range hostileTexts() {
		pages = append(pages, fmt.Sprintf("task/task-%d", i+1), fmt.Sprintf("agent/coder-%d", i+1))
	}
	for _, at := range pages {
		requireHarmless(t, at, s.page(at))
	}
	values := s.page("task/task-8?json")
	require.Contains(t, values, `\u202eevil`)
	require.NotContains(t, values, "\u202e")
	long := s.page(fmt.Sprintf("task/task-%d", 11))
	require.Contains(t, long, strings.Repeat("x", longestWord)+"<wbr>")
	require.NotContains(t, long, strings.Repeat("x", longestWord+1), "each long word can be broken")
	require.Contains(t, s.page("task/task-1"), "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Contains(t, s.page("task/task-8"), "‹U+202E›evil‹U+202C›")
	require.Contains(t, s.page("task/task-17"), "v‹U+FE0F›s‹U+FE00›‹U+E0101›")

	// What is in an address is no more than text either.
	for _, text := range hostileTexts() {
		for _, at := range []string{"task/" + url.PathEscape(text), "agent/" + url.PathEscape(text), "session/" + url.PathEscape(text), "task/task-1/diff?n=" + url.QueryEscape(text), "?at=" + url.QueryEscape(text), "log?q=" + url.QueryEscape(text)} {
			a := s.ask(http.MethodGet, s.base+at, nil, nil)
			require.NotEqual(t, http.StatusInternalServerError, a.StatusCode, "%s: %s", at, a.body)
			requireHarmless(t, at, a.body)
		}
	}
}

// requireHarmless fails if a page has an element or a character that a text brought.
func requireHarmless(t *testing.T, at, page string) {
	t.Helper()
	require.NotContains(t, page, "<script>alert", at)
	require.NotContains(t, page, "<img", at)
	require.NotContains(t, page, "<!-- hidden", at)
	require.NotRegexp(t, ` on[a-z]+=['"]`, page, at)
	require.NotRegexp(t, `href="[^"/#h]`, page, at)
	for _, r := range page {
		require.False(t, unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point), "%s: %U", at, r)
	}
}

// Of a text of ten thousand lines the first two thousand are shown, and a link to the rest.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	spec := "# Vision\n\n<!-- for agents alone -->\n[x](javascript:alert(1)) ![p](http://evil.example/p.png) <http://example.org/?a=1&b=2> [file](other.md)\n\nlast of the first\n" + strings.Repeat("\n", 10_000) + "the end\n"
	gittest.Write(t, s.dir, "specs/long.md", spec)
	s.run(`git add -A; git commit -qm long; git liza adopt HEAD --reason spec
cat > ../t.yaml <<'X'
- {title: Parse, done_when: it is parsed, spec: specs/long.md, scope: parser, acceptance: [nothing is left out], context: what it needs, estimate: 45m}
X
git liza task add --from ../t.yaml; git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1
mkdir tests; seq 1 5000 > big.txt; echo t > tests/big_test.txt; git add -A; git commit -qm big; git liza submit task-1 --as coder-1`)
	s.run(`git config diff.noprefix true; git config diff.x.textconv 'printf "%s" converted; :'; echo '* diff=x' > .git/info/attributes`)
	s.serve()
	s.open()
	page := s.page("task/task-1")
	require.Contains(t, s.page("task/task-1/diff?line=5001"), "<code>tests/big_test.txt</code>", "whatever git is set to")
	require.NotContains(t, page, "converted")
	require.Contains(t, page, "last of the first")
	for _, planned := range []string{"nothing is left out", "what it needs", "45m"} {
		require.Contains(t, page, planned)
	}
	require.NotContains(t, page, "the end")
	require.Contains(t, page, "/task/task-1/spec?from=2001")
	require.Contains(t, page, "&lt;!-- for agents alone --&gt;", "a person sees what an agent reads")
	require.Contains(t, page, "x (javascript:alert(1))")
	require.NotContains(t, page, `href="javascript`)
	require.NotContains(t, page, "<img")
	require.Contains(t, page, `<a rel="noreferrer noopener" href="http://example.org/?a=1&amp;b=2">`)
	at, from := "task/task-1/spec?from=2001", 0
	for ; at != ""; from++ {
		next := s.page(at)
		if strings.Contains(next, "the end") {
			break
		}
		_, rest, found := strings.Cut(next, "/task/task-1/spec?from=")
		require.True(t, found)
		number, _, _ := strings.Cut(rest, `"`)
		at = "task/task-1/spec?from=" + number
	}
	require.Equal(t, 4, from)

	require.Contains(t, page, `<td class="line">1</td>`)
	require.NotContains(t, page, `<td class="line">3000</td>`)
	_, _, found := strings.Cut(page, "/task/task-1/diff?")
	require.True(t, found)
	require.Contains(t, page, "line=2001")
	require.Contains(t, s.page("task/task-1/diff?n=1&line=2001"), `<td class="line">3000</td>`)
}

// What a submission changes is shown, whatever attributes it brings and whatever somebody
// has set in the repository.
func TestHidingAttributes(t *testing.T) {
	t.Parallel()
	s := newSite(t, `cat > ../t.yaml <<'X'
- {title: Parse, done_when: it is parsed, spec: specs/vision.md, scope: parser}
X
git liza task add --from ../t.yaml; git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1
mkdir tests; echo '* -diff' > .gitattributes; echo '* binary' > tests/.gitattributes; echo evil > tests/a_test.txt; git add -A; git commit -qm work
git liza submit task-1 --as coder-1
git liza review task-1 --as code-reviewer-1; git liza reject task-1 --as code-reviewer-1 --commit $(git rev-parse HEAD) --message no
git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; echo worse > tests/a_test.txt; git commit -qam again
git liza submit task-1 --as coder-1`)
	s.run(`echo '* -diff' | tee .git/.gitattributes .git/info/attributes
git config core.attributesFile "$PWD/.git/.gitattributes"; git config core.bigFileThreshold 1`)
	s.serve()
	s.open()
	for _, at := range []string{"task/task-1", "task/task-1/diff?n=2"} {
		page := s.page(at)
		require.Contains(t, page, `<td class="line">worse</td>`, at)
		require.Contains(t, page, `<td class="line">* binary</td>`, at)
		require.NotContains(t, page, "Binary files", at)
	}
	require.Contains(t, s.page("task/task-1/diff?n=2&since=1"), `<td class="line">evil</td>`)
	for command, said := range map[string]string{
		"git liza show task-1 --patch": "\n+worse", "git liza show task-1 --patch 1": "\n+evil", "git liza show task-1 --interdiff 1 2": "\n-evil\n+worse",
		"git liza show task-1 --stat": "3 files changed, 3 insertions(+)", "git liza show task-1 --range-diff": " again",
	} {
		require.Contains(t, s.run(command), said, command)
		require.NotContains(t, s.run(command), "Bin", command)
	}
}

// A patch is read up to a bound, and the page names the command that shows the rest.
func TestLongPatch(t *testing.T) {
	t.Parallel()
	s := newSite(t, `cat > ../t.yaml <<'X'
- {title: Parse, done_when: it is parsed, spec: specs/vision.md, scope: parser}
X
git liza task add --from ../t.yaml; git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1
mkdir tests; seq 1 900000 > a.txt; echo t > tests/a_test.txt; git add -A; git commit -qm work
git liza submit task-1 --as coder-1`)
	s.serve()
	s.open()
	for _, at := range []string{"task/task-1", "task/task-1/diff", "task/task-1/diff?line=2001"} {
		page := s.page(at)
		require.Contains(t, page, `<code class="command">git liza show task-1 --patch 1</code>`, at)
		require.Contains(t, page, "<code>a.txt</code>", at)
	}
	values := s.page("task/task-1/diff?json")
	require.Less(t, len(values), 6<<20)
	require.Contains(t, values, `"cut":"git liza show task-1 --patch 1"`)
	require.Contains(t, s.run("git liza show task-1 --patch 1"), "\n+900000\n")
	require.Contains(t, s.page("task/task-1/diff?since=1&json"), `"cut":""`)
}

// The filter passes on what is shown, character by character.
func TestFilter(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ in, want string }{
		{"<p>a b</p>", "<p>a b</p>"},
		{"\x1b[1m \x00 \x7f \r\n\t", "␛[1m ␀ ␡ \n\t"},
		{"\u202e \u00ad \u0085 \u2028", "‹U+202E› ‹U+00AD› ‹U+0085› ‹U+2028›"},
		{"\xff\xfe", "‹ff›‹fe›"},
		{"👩\u200d💻 ❤\ufe0f a\ufe0f\u200d", "👩\u200d💻 ❤\ufe0f a‹U+FE0F›‹U+200D›"},
		{strings.Repeat("y", 81), strings.Repeat("y", 80) + "<wbr>y"},
		{strings.Repeat("y", 40) + " " + strings.Repeat("y", 60), strings.Repeat("y", 40) + " " + strings.Repeat("y", 60)},
		{strings.Repeat("&amp;", 81), strings.Repeat("&amp;", 80) + "<wbr>&amp;"},
		{`<a href="` + strings.Repeat("y", 200) + `">z</a>`, `<a href="` + strings.Repeat("y", 200) + `">z</a>`},
		{"<title>" + strings.Repeat("y", 200) + "</title>", "<title>" + strings.Repeat("y", 200) + "</title>"},
		{"<svg><text>" + strings.Repeat("y", 200) + "</text></svg>", "<svg><text>" + strings.Repeat("y", 200) + "</text></svg>"},
		{"é\u00e9 日本", "éé 日本"},
	} {
		for _, size := range []int{1, 2, 1000} {
			var out strings.Builder
			f := &filter{to: &out}
			for i := 0; i < len(one.in); i += size {
				n, err := f.Write([]byte(one.in[i:min(len(one.in), i+size)]))
				require.NoError(t, err)
				require.Positive(t, n)
			}
			require.NoError(t, f.Close())
			require.Equal(t, one.want, out.String(), "%q by %d", one.in, size)
		}
	}
}
