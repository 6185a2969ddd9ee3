package hooks

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// An Update is one ref that would move; "" stands for a ref that is not there.
type Update struct {
	Name     string
	Old, New git.ID
}

// ReadUpdates reads the input that git gives a hook: a line OLD NEW REF for each ref.
func ReadUpdates(in io.Reader) ([]Update, error) {
	var list []Update
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.SplitN(lines.Text(), " ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("git told the hook %q", lines.Text())
		}
		list = append(list, Update{Name: f[2], Old: parseID(f[0]), New: parseID(f[1])})
	}
	return list, lines.Err()
}

// parseID reads an id; zeros stand for "".
func parseID(text string) git.ID {
	if strings.Trim(text, "0") == "" {
		return ""
	}
	return git.ID(text)
}
