package supervise

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The forms that prompts show are those that reports are read by, whatever is
// put in the place of the words in capitals.
func TestFormsOfThePrompt(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)````\n(```liza\n.*?\n```)\n````")
	for role, read := range map[string]func(string) error{
		"coder":         func(m string) error { return readReport(m, &workReport{}) },
		"code-reviewer": func(m string) error { return readReport(m, &verdictReport{}) },
		"planner":       func(m string) error { return readReport(m, &planReport{}) },
	} {
		prompt, err := os.ReadFile("../../../../testdata/prompts/" + role + "-reported.md")
		require.NoError(t, err)
		forms := block.FindAllStringSubmatch(string(prompt), -1)
		require.NotEmpty(t, forms, role)
		for _, form := range forms {
			text := strings.NewReplacer("DISCOVERY", "sprint-1/1", "QUESTION", "sprint-1/1").Replace(form[1])
			text = regexp.MustCompile(`discovery: ID`).ReplaceAllString(text, "discovery: sprint-1/1")
			text = regexp.MustCompile(`\bID\b`).ReplaceAllString(text, "task-1")
			text = regexp.MustCompile(`(\|-\n\s+)[A-Z][A-Z ,]+`).ReplaceAllString(text, `${1}fix: "it" [now] # and? 'then' - {so}`)
			require.NoError(t, read("Here it is.\n\n"+text+"\n\nThat is all."), "%s:\n%s", role, text)
		}
	}
}

func TestReadReport(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"":                          "there is none",
		"```liza\nsummary: x":       "has no end",
		"```liza\n```":              "there is none",
		"all done, I think: really": "line",
		"```liza\nsummary: no\n```\nThe file says\n```liza\nsummary: yes\n```":                       "several blocks",
		"The diff says\n+```liza\n+summary: no\n+```\n```liza\nsummary: yes\n```":                    "",
		"Not `````liza`:\n  ```liza\n  summary: no\n  ```\n```liza\nsummary: yes\n```\nThat is all.": "",
		"summary: yes": "",
	} {
		var r workReport
		err := readReport(message, &r)
		if want == "" {
			require.NoError(t, err, message)
			require.Equal(t, "yes", r.Summary)
			continue
		}
		require.Error(t, err, message)
		if want != "line" {
			require.ErrorContains(t, err, want)
		}
	}
}
