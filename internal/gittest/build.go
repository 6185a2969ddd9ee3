package gittest

import (
	"fmt"
	"os"
	"os/exec"
)

// Build compiles the program as make build does, so that most of it is in go's cache.
// With the race detector it needs cgo, and the program starts slower.
func Build(to string, race bool) error {
	args, cgo := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to}, "CGO_ENABLED=0"
	if race {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	cmd := exec.Command("go", append(args, "github.com/git-liza/git-liza/cmd/git-liza")...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
