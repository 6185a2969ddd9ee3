package gittest

import (
	"fmt"
	"os"
	"os/exec"
)

// testClock is the tag of a program that takes its time from LIZA_NOW.
const testClock = "-tags=testclock"

// Build compiles the program with a clock that tests set, and else with the flags of make
// build, so that most of it is in go's cache. With the race detector it needs cgo, and the
// program starts slower.
func Build(to string, race bool) error {
	if race {
		return build("CGO_ENABLED=1", testClock, "-race", "-o", to)
	}
	return build("CGO_ENABLED=0", testClock, "-o", to)
}

// BuildReleased compiles the program that people use.
func BuildReleased(to string) error { return build("CGO_ENABLED=0", "-o", to) }

func build(cgo string, args ...string) error {
	args = append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}, args...)
	cmd := exec.Command("go", append(args, "github.com/git-liza/git-liza/cmd/git-liza")...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
