package broker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// A Session is what its broker is told of a session.
type Session struct {
	Folder string       // of the socket and of the token
	Token  string       // which only the session can read
	Dir    string       // of the checkout, without links
	Home   string       // of the session
	Sets   []string     // NAME=VALUE, what each command has in its environment beside that of this process
	Hooks  *proc.Domain // of hooks, which may open the repository of the checkout: its settings are the session's
}

// Serve has self, this program, run what is typed in the session, with the environment of this
// process, until the context is done.
func (s Session) Serve(ctx context.Context, self string) error {
	l, err := proc.Listen("unixpacket", s.Folder, Socket)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	(&Server{Token: s.Token, Run: func(ctx context.Context, c Call) int {
		code, err := s.run(ctx, self, c)
		if err != nil {
			fmt.Fprintln(c.Err, "git-liza:", err)
			return 1
		}
		return code
	}}).Serve(ctx, l)
	return nil
}

// run runs a call and returns its exit code.
func (s Session) run(ctx context.Context, self string, c Call) (int, error) {
	dir := s.Dir
	if path, err := filepath.EvalSymlinks(c.Dir); err == nil && strings.HasPrefix(path, s.Dir+string(filepath.Separator)) {
		dir = path
	}
	command := proc.Command{Path: self, Args: c.Args, Dir: dir, Env: append(os.Environ(), s.Sets...), Stdin: c.In, Stdout: c.Out, Output: c.Err}
	if len(c.Args) > 0 && c.Args[0] == "hook" {
		command.Domain = s.Hooks
		command.Env = proc.Environment(command.Env, []string{"LIZA_*", "GIT_*"}, "HOME="+s.Home, "GIT_INDEX_FILE="+c.Index, "GIT_ALLOW_PROTOCOL=",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false") // what hooks ask git starts nothing else
	}
	r, err := proc.Run(ctx, command)
	return r.Code, err
}
