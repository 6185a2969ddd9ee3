package demo

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/flow/layout"
)

// testProduct runs the product's own tests in a private checkout of integration. It returns
// why they do not pass, "" if they do.
func (r *run) testProduct(ctx context.Context) string {
	dir, err := os.MkdirTemp("", "git-liza-demo-tests-")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	if _, err := r.command(ctx, "git", "clone", "-q", "--branch", "integration", r.report.Dir, dir); err != nil {
		return err.Error()
	}
	result, err := r.proc(ctx, nil, "sh", dir+"/scripts/integration-test.sh")
	if err != nil {
		return err.Error()
	}
	r.report.Tests = playbook.LastLine(result.Excerpt)
	r.printChapter("The product's own tests, on integration", result.Excerpt)
	if !result.Passed() {
		return fmt.Sprintf("the product's tests exit %d on integration: %s", result.Code, r.report.Tests)
	}
	return ""
}

// showResult prints the board and the two histories.
func (r *run) showResult(ctx context.Context) error {
	for _, argv := range [][]string{
		{r.Program, "list"},
		{r.Program, "status"},
		{"git", "log", "--graph", "--oneline", "integration"},
		{"git", "log", "--oneline", "-n", "10", layout.State},
	} {
		text, err := r.command(ctx, argv...)
		if err != nil {
			return err
		}
		name := strings.Join(argv, " ")
		if argv[0] == r.Program {
			name = "git liza " + argv[1]
		}
		r.printChapter("$ "+name, text)
	}
	return nil
}

func (r *run) printChapter(title, text string) {
	r.say("\n%s\n%s", title, strings.TrimRight(text, "\n"))
}
