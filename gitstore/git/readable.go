package git

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

// ReadFailure is what git said of an object that it could not read.
func ReadFailure(err error) string {
	if git, is := errors.AsType[*Error](err); is {
		first, _, _ := strings.Cut(git.Stderr, "\n")
		return strings.TrimPrefix(strings.TrimPrefix(first, "fatal: "), "error: ")
	}
	return err.Error()
}

// TipObjects lists what the trees of commits hold, but for what lies in packs.
func (r *Repo) TipObjects(ctx context.Context, commits []ID) ([]ID, error) {
	list, err := r.Reachable(ctx, commits, nil, "--no-walk")
	if err != nil {
		return nil, err
	}
	return looseOf(r, list)
}

// IsWhole reports whether a commit, or a tree, can be read with everything that
// leads to it and not to known commits. Of objects in packs it asks only whether
// they are there.
func (r *Repo) IsWhole(ctx context.Context, id ID, known ...ID) (bool, error) {
	list, err := r.Reachable(ctx, []ID{id}, known)
	if err == nil {
		list, err = looseOf(r, list)
	}
	if errors.Is(err, ErrDamaged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	bad, err := r.UnreadableObjects(ctx, list, 1)
	return len(bad) == 0, err
}

// looseOf are those of the objects that lie in no pack, or cannot be read. It
// overwrites the list.
func looseOf(r *Repo, list []ID) ([]ID, error) {
	dirs, err := r.objectDirs()
	if err != nil {
		return nil, err
	}
	loose := list[:0]
	for _, id := range list {
		if path, err := loosePathIn(dirs, id); err != nil || path != "" {
			loose = append(loose, id)
		}
	}
	return loose, nil
}

// UnreadableObjects reads objects and returns those that cannot be read, or are not what
// their ids say, with the reason; it stops after the first few, as many as most says. No
// object is to blame for a git that reads none, or was ended: the error is then what git says.
func (r *Repo) UnreadableObjects(ctx context.Context, list []ID, most int) (map[ID]string, error) {
	bad := map[ID]string{}
	reads := false
	for len(list) > 0 && len(bad) < most {
		done, _ := readObjects(ctx, r, list, bad)
		if ctx.Err() != nil || done == len(list) {
			return bad, ctx.Err()
		}
		// Only a git that dies of the object alone, by itself, blames it.
		if alone, err := readObjects(ctx, r, list[done:done+1], bad); alone == 0 {
			if err == nil {
				err = fmt.Errorf("git cat-file ended before object %s", list[done])
			}
			if exit := (*Error)(nil); !errors.As(err, &exit) || exit.Code <= 0 {
				return bad, err
			}
			if !reads {
				if err := CheckReading(ctx, r); err != nil {
					return bad, err
				}
				reads = true
			}
			bad[list[done]] = ReadFailure(err)
		}
		list = list[done+1:]
	}
	return bad, nil
}

// CheckReading has git look for an object that is not there. For that it reads what it needs of
// its configuration and of the packs, some of it not before, and the error is what it says of
// them. In a partial clone it would ask the remote, and looks for none.
func CheckReading(ctx context.Context, r *Repo) error {
	asked := strings.Repeat("1", r.hashLen) + "\n"
	if r.Config.IsPartial(ctx) {
		asked = ""
	}
	_, err := r.Run(ctx, Cmd{Args: []string{"cat-file", "--batch"}, Stdin: []byte(asked)})
	return err
}

// readObjects has one git read objects until it ends, and adds those that it cannot read.
// Before all of them it ends with the error, or of itself.
func readObjects(ctx context.Context, r *Repo, list []ID, bad map[ID]string) (done int, err error) {
	var asked bytes.Buffer
	for _, id := range list {
		asked.WriteString(string(id) + "\n")
	}
	c := Cmd{Args: []string{"cat-file", "--batch", "--buffer"}, Stdin: asked.Bytes(), Limit: lasting}
	err = r.streamOutput(ctx, c, func(out *bufio.Reader) error {
		for ; done < len(list); done++ {
			why, err := r.readObject(out, list[done])
			if err != nil {
				return nil // git ended
			}
			if why != "" {
				bad[list[done]] = why
			}
		}
		return nil
	})
	return done, err
}

// readObject reads one object of `git cat-file --batch`; why is what is wrong.
func (r *Repo) readObject(out *bufio.Reader, id ID) (why string, err error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return "", err
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return strings.TrimSpace(line), nil
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return "", err
	}
	var sum hash.Hash = sha1.New()
	if r.hashLen == 64 {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", f[1], size)
	if _, err := io.CopyN(sum, out, size); err != nil {
		return "", err
	}
	if _, err := out.Discard(1); err != nil {
		return "", err
	}
	if is := hex.EncodeToString(sum.Sum(nil)); is != string(id) {
		return fmt.Sprintf("object %s holds what has the id %s", id, is), nil
	}
	return "", nil
}
