// Guards switches off each guard of the rules, one at a time, and reports those that no test
// notices. A guard is noticed by a test that passes with it on, in the same run, and fails
// with it off; a test that does not end in time says nothing. Survivors that are accepted
// stand in a list, each with a reason; a survivor that is not listed, and a row whose guard
// is noticed or gone, end the run with 1.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	module        = "github.com/git-liza/git-liza"
	standsFolder  = "internal/guards/stand"
	standsPackage = module + "/" + standsFolder
)

func main() {
	only := flag.String("only", ".", "pattern of the guards to try")
	tests := flag.String("tests", "^Test", "pattern of the tests that are to notice")
	accepted := flag.String("accepted", "internal/guards/accepted.txt", "the list of accepted survivors")
	jobs := flag.Int("jobs", 2, "guards at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pattern, err := regexp.Compile(*only)
	if err == nil {
		err = run(ctx, pattern, *tests, *accepted, *jobs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only *regexp.Regexp, tests, accepted string, jobs int) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	list, err := readAccepted(accepted)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "guards-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	guards, err := writeOverlay(root, work)
	if err != nil {
		return err
	}
	var chosen []int
	for n, g := range guards {
		if only.MatchString(g.name) {
			chosen = append(chosen, n)
		}
	}
	fmt.Printf("%d guards, %d to try\n", len(guards), len(chosen))
	left := chosen
	for _, s := range suites {
		if len(left) == 0 {
			break
		}
		if left, err = s.try(ctx, root, work, tests, jobs, guards, left); err != nil {
			return err
		}
	}
	return judge(guards, chosen, left, list)
}

// writeOverlay writes the switchable files, and the list of them for the compiler. The index
// of a guard is its number.
func writeOverlay(root, work string) (guards []*guard, err error) {
	sources, err := findSources(root)
	if err != nil {
		return nil, err
	}
	stand, err := os.ReadFile(filepath.Join(root, "internal/guards/stand.go.txt"))
	if err != nil {
		return nil, err
	}
	replaced, i := map[string]string{}, 0
	put := func(path string, text []byte) error {
		i++
		name := filepath.Join(work, fmt.Sprintf("%d.go", i))
		replaced[filepath.Join(root, path)] = name
		return os.WriteFile(name, text, 0o600)
	}
	if err := put(standsFolder+"/stand.go", stand); err != nil {
		return nil, err
	}
	for _, s := range sources {
		if err := put(s.path, s.switchable(len(guards))); err != nil {
			return nil, err
		}
		guards = append(guards, s.guards...)
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	return guards, os.WriteFile(filepath.Join(work, "overlay.json"), text, 0o600)
}

// each calls do for the elements of a list, some at a time, each with the number of its
// worker, up to the first error.
func each[T any](list []T, workers int, do func(worker int, one T) error) error {
	todo, failed := make(chan T, len(list)), make(chan error, workers)
	for _, one := range list {
		todo <- one
	}
	close(todo)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for one := range todo {
				if err := do(w, one); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// readAccepted reads the list: after a line with a reason, which ends in a colon, the names
// of its guards, indented. Lines with # are no part of it.
func readAccepted(name string) (reasons map[string]string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	reasons = map[string]string{}
	reason := ""
	for i, line := range strings.Split(string(text), "\n") {
		guard, indented := strings.CutPrefix(line, "  ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !indented:
			reason = strings.TrimSuffix(line, ":")
		case reason == "" || reasons[guard] != "":
			return nil, fmt.Errorf("%s:%d: no reason, or twice: %s", name, i+1, guard)
		default:
			reasons[guard] = reason
		}
	}
	return reasons, nil
}

// judge prints the survivors, and is an error where they differ from the list.
func judge(guards []*guard, chosen, left []int, accepted map[string]string) error {
	wrong := 0
	known := map[string]bool{}
	for _, n := range chosen {
		g := guards[n]
		known[g.name] = true
		switch survived := slices.Contains(left, n); {
		case survived && accepted[g.name] == "":
			wrong++
			fmt.Printf("SURVIVED %s:%d\n  %s\n", g.file, g.at, g.name)
		case !survived && accepted[g.name] != "":
			wrong++
			fmt.Printf("NOTICED, so not to be listed\n  %s\n", g.name)
		}
	}
	if len(chosen) == len(guards) {
		for name := range accepted {
			if !known[name] {
				wrong++
				fmt.Printf("LISTED, and no guard\n  %s\n", name)
			}
		}
	}
	fmt.Printf("%d guards tried, %d noticed, %d survived, %d of %d rows accepted\n", len(chosen), len(chosen)-len(left), len(left), len(accepted), mostAccepted)
	if wrong > 0 || len(accepted) > mostAccepted {
		return fmt.Errorf("%d guards are not as the list says", wrong)
	}
	return nil
}

const (
	mostAccepted = 40
	patience     = time.Minute // beyond thrice the time that the tests took with the guard on
)
