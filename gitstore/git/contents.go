package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadContents reads many objects through one process, in the order of their names: a name is
// an id, or COMMIT:PATH. It calls visit with the place of each in the list, its kind and
// its content, which is valid until visit returns. Where a name stands for nothing, or
// for more than limit bytes, the kind is "". An error of visit ends the process and is
// returned.
func ReadContents(ctx context.Context, r *Repo, names []string, limit int64, visit func(i int, kind string, data []byte) error) error {
	if len(names) == 0 {
		return nil
	}
	asked := strings.Join(names, "\n") + "\n"
	c := Cmd{Args: []string{"cat-file", "--batch", "--buffer"}, Stdin: []byte(asked), Limit: lasting}
	return r.streamOutput(ctx, c, func(out *bufio.Reader) error {
		var data []byte
		for i := range names {
			kind, n, err := readHeading(out, names[i])
			if err != nil {
				return err
			}
			if kind == "" {
				err = visit(i, "", nil)
			} else if n > limit {
				if _, err = io.CopyN(io.Discard, out, n+1); err == nil {
					err = visit(i, "", nil)
				}
			} else {
				if int64(cap(data)) < n+1 {
					data = make([]byte, 2*(n+1))
				}
				data = data[:n+1]
				if _, err = io.ReadFull(out, data); err == nil {
					err = visit(i, kind, data[:n])
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// readHeading reads the line before the content of an object; kind is "" if there is no
// such object.
func readHeading(out *bufio.Reader, name string) (kind string, n int64, err error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return "", 0, err
	}
	f := strings.Fields(line)
	if len(f) == 2 && (f[1] == "missing" || f[1] == "ambiguous") {
		return "", 0, nil
	}
	if len(f) == 3 {
		if n, err = strconv.ParseInt(f[2], 10, 64); err == nil {
			return f[1], n, nil
		}
	}
	return "", 0, fmt.Errorf("cat-file answered %q for %s", line, name)
}
