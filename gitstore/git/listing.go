package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// errEnough ends a process whose other output nobody needs.
var errEnough = errors.New("enough")

// VisitCommits visits the commits that git rev-list lists for args, as git finds them, until
// visit returns false or an error, which is returned.
func VisitCommits(ctx context.Context, r *Repo, args []string, visit func(ID) (bool, error)) error {
	c := Cmd{Args: append([]string{"rev-list"}, args...)}
	err := r.streamOutput(ctx, c, func(out *bufio.Reader) error {
		for {
			line, err := out.ReadString('\n')
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if more, err := visit(ID(strings.TrimSuffix(line, "\n"))); err != nil {
				return err
			} else if !more {
				return errEnough
			}
		}
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
