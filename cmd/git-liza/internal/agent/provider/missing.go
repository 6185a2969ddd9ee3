package provider

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/shell"
)

// Missing is the program with which a command of exec or acp begins, if a shell
// does not find it. It is "" if the shell finds it, or if that is unknown before
// the command runs, as for a path below the worktree or a word that is expanded.
func (p Provider) Missing(ctx context.Context, environ []string) string {
	if !p.takesCommand() || len(p.Args) == 0 {
		return ""
	}
	word := shell.Program(p.Args[len(p.Args)-1])
	switch {
	case word == "":
		return ""
	case filepath.IsAbs(word) && executableAt(word) == "":
		return word
	}
	// Only the shell knows its builtins and reserved words, which can begin a command.
	r, err := proc.Run(ctx, proc.Command{Path: "sh", Args: []string{"-c", `command -v -- "$1"`, "sh", word}, Dir: os.TempDir(),
		Env: proc.Environment(environ, p.Env, p.Set(Spawn{})...), Wall: versionLimit, Grace: time.Second})
	if err != nil || r.Reason != proc.Exited || r.Code == 0 {
		return ""
	}
	return word
}
