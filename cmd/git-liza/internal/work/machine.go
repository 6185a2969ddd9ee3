package work

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The keys of git's configuration that [ReadMachine] reads.
const variablesKey, portsKey = "liza.env", "liza.ports"

var (
	variable = pattern.Late(`^[A-Za-z_][A-Za-z0-9_]*=`)
	reserved = pattern.Late(`^(GIT|LIZA)_`) // they say where git works, and who acts
)

// ReadMachine reads liza.env, variables of this machine as NAME=VALUE, and liza.ports, the first port
// of the checkout with the number 0. The error is a *[flow.Refusal].
func ReadMachine(ctx context.Context, conf *git.Configuration) (variables []string, port int, err error) {
	settings, err := conf.ConfigUnder(ctx, variablesKey)
	if err != nil {
		return nil, 0, err
	}
	for _, one := range settings {
		name, _, _ := strings.Cut(one.Value, "=")
		switch hint := "git config --unset-all " + variablesKey + " " + shell.Quote("^"+name); {
		case one.Key != variablesKey:
			continue
		case !variable().MatchString(one.Value):
			return nil, 0, &flow.Refusal{Rule: flow.RuleForm, Hint: hint, Reason: variablesKey + " has a value that is not NAME=VALUE"}
		case reserved().MatchString(name):
			return nil, 0, &flow.Refusal{Rule: flow.RuleForm, Hint: hint, Reason: variablesKey + " names " + name + ", and variables that begin with GIT_ or LIZA_ are not set so"}
		}
		variables = append(variables, one.Value)
	}
	text, err := conf.Config(ctx, portsKey)
	if port, _ = strconv.Atoi(cmp.Or(text, "20000")); port < 1024 || port > 65000 {
		return nil, 0, &flow.Refusal{Rule: flow.RuleForm, Hint: "git config --unset-all " + portsKey, Reason: fmt.Sprintf("%s is %q, no number from 1024 to 65000", portsKey, text)}
	}
	return variables, port, err
}

// Machine is what this machine adds to the environment of what runs in a checkout: liza.env,
// and names for what must not collide with that of other checkouts.
func (m *mover) Machine(ctx context.Context, dir string) ([]string, error) {
	list, port, err := ReadMachine(ctx, &m.Repo.Config.Configuration)
	if err != nil {
		return nil, err
	}
	b, _, err := m.Store.Board(ctx)
	if err != nil {
		return nil, err
	}
	number, err := m.number(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("number of the checkout %s: %w", dir, err)
	}
	if port += 10 * number; port+10 > 1<<16 {
		return nil, &flow.Refusal{Rule: flow.RuleLimit, Hint: "git config " + portsKey + " 20000", Reason: fmt.Sprintf("by %s, checkout %d would have ports from %d on", portsKey, number, port)}
	}
	return append(list, fmt.Sprintf("LIZA_NUMBER=%d", number), fmt.Sprintf("LIZA_PORT=%d", port),
		"GIT_CEILING_DIRECTORIES="+ceiling(proc.Value(m.environ, "HOME"), filepath.Dir(dir)), // where it is no repository any more, git does not work in the one around it
		"LIZA_NAME="+nameOf(b.Settings().Board, filepath.Base(dir)), "LIZA_CLONE="+cmp.Or(m.Repo.MainWorkTree(), m.Repo.CommonDir())), nil
}

// ceiling is a folder as that variable holds it: git splits it at colons, with no way to write one,
// and follows links. So the user's folder has a link, as far as it can be written.
func ceiling(home, dir string) string {
	if !strings.Contains(dir, string(os.PathListSeparator)) || !filepath.IsAbs(home) {
		return dir
	}
	link := filepath.Join(home, ".local", "state", layout.Private, fmt.Sprintf("ceiling-%x", sha256.Sum256([]byte(dir))))
	_ = os.Symlink(dir, link)
	return link
}

// longestName is that of a label of a host, and of a database of PostgreSQL.
const longestName = 63

var unfitForName = pattern.Late(`[^a-z0-9]`)

// nameOf is BOARD-CHECKOUT in small letters, digits and hyphens. Where that changes the name of the
// checkout, or it is too long, a part of its sum keeps it apart from others.
func nameOf(board, checkout string) string {
	plain := unfitForName().ReplaceAllString(strings.ToLower(checkout), "-")
	name := board + "-" + strings.Trim(plain, "-")
	if plain == checkout && len(name) <= longestName {
		return name
	}
	sum := fmt.Sprintf("-%x", sha256.Sum256([]byte(checkout)))[:9]
	return strings.TrimRight(name[:min(len(name), longestName-len(sum))], "-") + sum
}

// number is the number of a checkout among those of this user on this machine; of the clone, where
// the user's folder cannot be written.
func (m *mover) number(ctx context.Context, dir string) (int, error) {
	if home := proc.Value(m.environ, "HOME"); filepath.IsAbs(home) {
		if n, err := allot(ctx, filepath.Join(home, ".local", "state"), dir); err == nil || ctx.Err() != nil {
			return n, err
		}
	}
	return allot(ctx, m.Repo.CommonDir(), dir)
}

// allot gives a checkout the smallest free number, which is its own as long as its folder stands. The file
// liza/numbers in the folder state has the folders by their numbers, each with a zero byte at its end.
func allot(ctx context.Context, state, dir string) (int, error) {
	f, err := git.OpenLock(state, "numbers")
	if err == nil {
		err = git.AwaitLock(ctx, f)
	}
	if err != nil {
		return 0, err
	}
	defer git.Unlock(f)
	text, err := os.ReadFile(f.Name())
	dirs := strings.Split(string(text), "\x00")
	number := len(dirs) - 1
	for n := len(dirs) - 2; n >= 0 && err == nil; n-- {
		if dirs[n] == dir {
			return n, nil
		}
		if _, err := os.Lstat(dirs[n]); os.IsNotExist(err) {
			number = n
		}
	}
	if number == len(dirs)-1 {
		dirs = append(dirs, "")
	}
	dirs[number] = dir
	if err == nil {
		_, err = f.WriteAt([]byte(strings.Join(dirs, "\x00")), 0)
	}
	if err == nil {
		err = f.Truncate(int64(len(strings.Join(dirs, "\x00"))))
	}
	return number, err
}
