package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A record is the content of `liza/containers/NAME` in the common git directory. It is
// there from before a container is made until the container is removed.
type record struct {
	Engine     string `json:"engine"`
	Generation string `json:"generation"`
}

// namePrefix begins the names of all containers of git liza.
const namePrefix = "liza-"

// Name is the name of the container of an agent's session on a board.
func Name(board, agent, generation string) string {
	return namePrefix + board + "-" + agent + "-" + generation
}

func recordFolder(common string) string { return filepath.Join(common, layout.Private, "containers") }

func (s Session) recordPath() string { return filepath.Join(recordFolder(s.Common), s.Name) }

func (s Session) record(engine string) error {
	if err := git.ReplaceJSON(s.recordPath(), record{engine, s.Generation}); err != nil {
		return fmt.Errorf("record of a container: %w", err)
	}
	return nil
}

// remove removes the container of a record, then the record.
func (l Launcher) remove(ctx context.Context, path string) error {
	name := filepath.Base(path)
	if _, err := l.ask(ctx, removeLimit, "rm", "--force", "--volumes", name); err != nil {
		// Engines differ in whether it is an error that there is no such container.
		left, listErr := l.ask(ctx, engineLimit, "ps", "--all", "--quiet", "--filter", "name=^"+name+"$")
		if listErr != nil || strings.TrimSpace(left) != "" {
			return fmt.Errorf("the container %s may still run: %w; %s rm --force %s", name, err, l.Engine, name)
		}
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // another supervisor was faster
}

// RemoveLeftovers removes the containers on record in a clone whose supervisor is dead, as
// the generation of its agent tells. The engine is the configured one, or "". It returns
// their names, and an error for those that it could not remove.
func RemoveLeftovers(ctx context.Context, common, engine string, environ []string, dead func(generation string) bool) (removed []string, err error) {
	entries, err := os.ReadDir(recordFolder(common))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	var failed []error
	for _, entry := range entries {
		path := filepath.Join(recordFolder(common), entry.Name())
		r, err := git.ReadJSON[record](path)
		// A session may have written the record: it names no other program and no other container.
		if err != nil || !strings.HasPrefix(entry.Name(), namePrefix) || !slices.Contains(append(engines(), engine), r.Engine) || !dead(r.Generation) {
			continue
		}
		if err := (Launcher{Engine: r.Engine, Environ: environ}).remove(ctx, path); err != nil {
			failed = append(failed, err)
			continue
		}
		removed = append(removed, entry.Name())
	}
	return removed, errors.Join(failed...)
}
