package hooks

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
)

// publishOption is the push option by which an admin publishes moves that were made
// without this server: git push -o liza-publish.
const publishOption = "liza-publish"

// A SettingError is a value of a server's git configuration that nothing can be judged by.
type SettingError struct {
	Key    string
	Reason string // the value, and what it should be
	Good   string // a value that is one
}

// Error names the key and says what is wrong with its value.
func (s *SettingError) Error() string { return "git config " + s.Key + " is " + s.Reason }

// Command sets the value that is a good one.
func (s *SettingError) Command() string { return "git config " + s.Key + " " + s.Good }

// ReadPush makes a push on a server from its updates, the server's settings and two
// things from the hook's environment, which getenv reads: the user who pushes and the
// push options.
func ReadPush(ctx context.Context, r *git.Repo, updates []Update, now time.Time, getenv func(string) string) (Push, error) {
	p := Push{Updates: updates, Server: true, Now: now}
	settings := make(map[string]string)
	for _, key := range []string{"userEnv", "requireSignedMoves", "admin", "adminKey"} {
		value, err := r.Config.Config(ctx, "liza.server."+key)
		if err != nil {
			return p, err
		}
		settings[key] = value
	}
	p.Admin, p.AdminKey = settings["admin"], settings["adminKey"]
	if name := settings["userEnv"]; name != "" {
		p.User, p.UserKnown = getenv(name), true
	}
	known := false
	if p.Signed, known = git.ParseBool(settings["requireSignedMoves"]); !known {
		return p, &SettingError{"liza.server.requireSignedMoves", fmt.Sprintf("%q, neither true nor false", settings["requireSignedMoves"]), "true"}
	}
	count, _ := strconv.Atoi(getenv("GIT_PUSH_OPTION_COUNT"))
	for i := range min(count, 100) {
		p.Publish = p.Publish || getenv("GIT_PUSH_OPTION_"+strconv.Itoa(i)) == publishOption
	}
	return p, nil
}
