package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Prefix is what the keys of git's configuration begin with that describe
// providers: liza.provider.NAME.KEY.
const Prefix = "liza.provider."

// A ConfigError is a key of git's configuration that says nothing useful about
// a provider.
type ConfigError struct {
	Key    string // such as liza.provider.claude.minimum
	Reason string
	Hint   string // the command that mends it
}

func (e *ConfigError) Error() string { return e.Key + ": " + e.Reason }

// Load is the built-in catalogue with what the user configured laid over it,
// and with rows of the user's own, which need binary and output. The settings
// are those under [Prefix]. Errors are [*ConfigError].
//
// A list has a value for each word, in order; an empty one, and false for
// resume, makes it empty. Words of env are added to the built-in ones, all else
// replaces what is there.
func Load(settings []git.Setting) (Catalogue, error) {
	c := Builtin()
	values := map[string]map[string][]string{} // by name and key
	var names []string
	for _, s := range settings {
		name, key, err := split(s.Key)
		if err != nil {
			return nil, err
		}
		if values[name] == nil {
			values[name] = map[string][]string{}
			names = append(names, name)
		}
		values[name][key] = append(values[name][key], s.Value)
	}
	for _, name := range names {
		if c.Row(name) == nil {
			if err := own(name, values[name]); err != nil {
				return nil, err
			}
			c = append(c, Row{Name: name, About: "your own", Env: slices.Clone(everywhere), Usage: PerRun, Tokens: CountsNever, Cost: CountsNever, Commit: ByAgent, Contract: Unknown})
		}
		row := c.Row(name)
		for _, key := range slices.Sorted(maps.Keys(values[name])) {
			if err := row.lay(key, values[name][key]); err != nil {
				return nil, err
			}
		}
		if err := row.check(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

var rowName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// split takes liza.provider.NAME.KEY apart.
func split(full string) (name, key string, err error) {
	rest := strings.TrimPrefix(full, Prefix)
	i := strings.LastIndexByte(rest, '.')
	if i < 0 || !rowName.MatchString(rest[:i]) {
		return "", "", &ConfigError{full, "no provider has such a name: lower-case letters, digits and -", unset(full)}
	}
	return rest[:i], rest[i+1:], nil
}

func unset(key string) string { return "git config --unset-all " + key }

// own refuses a row of the user's that says less than it must: most often a
// name is misspelled.
func own(name string, values map[string][]string) error {
	for _, need := range []string{"binary", "output"} {
		if len(values[need]) == 0 {
			key := slices.Sorted(maps.Keys(values))[0]
			return &ConfigError{Prefix + name + "." + key, fmt.Sprintf("there is no provider %s; one of your own needs %s%s.%s", name, Prefix, name, need),
				"git config " + Prefix + name + "." + need + " " + strings.ToUpper(need)}
		}
	}
	return nil
}

// keys are what can be configured of a row, by the names that they have there.
func (r *Row) keys() map[string]any {
	return map[string]any{
		"about": &r.About, "binary": &r.Binary, "install": &r.Install, "version": &r.Version, "minimum": &r.Minimum,
		"args": &r.Args, "model": &r.Model, "model-args": &r.ModelArgs, "session": &r.Session, "resume": &r.Resume,
		"planner": &r.Roles.Planner, "coder": &r.Roles.Coder, "code-reviewer": &r.Roles.CodeReviewer,
		"env": &r.Env, "env-set": &r.EnvSet,
		"planner-env": &r.EnvFor.Planner, "coder-env": &r.EnvFor.Coder, "code-reviewer-env": &r.EnvFor.CodeReviewer,
		"keys": &r.Keys, "login-args": &r.LoginArgs, "login-files": &r.LoginFiles,
		"output": &r.Output, "acp": &r.ACP, "usage": &r.Usage, "tokens": &r.Tokens, "cost": &r.Cost, "ledger": &r.Ledger, "commit": &r.Commit, "contract": &r.Contract,
		"reviewer-readonly": &r.ReviewerReadonly, "quota": &r.Quota, "outage": &r.Outage, "login": &r.Login,
	}
}

// lay sets one key; where it holds no list the last value counts, as with git.
func (r *Row) lay(key string, values []string) error {
	full := Prefix + r.Name + "." + key
	field, known := r.keys()[key]
	if !known {
		return &ConfigError{full, "there is no such key; there are " + strings.Join(slices.Sorted(maps.Keys(r.keys())), ", "), unset(full)}
	}
	if r.fixed() && slices.Contains([]string{"binary", "args", "output", "acp"}, key) {
		return &ConfigError{full, r.Name + " has no " + key + " of its own", unset(full)}
	}
	last := values[len(values)-1]
	switch p := field.(type) {
	case *string:
		*p = last
	case *bool:
		on, err := strconv.ParseBool(last)
		if err != nil {
			return &ConfigError{full, fmt.Sprintf("%q is neither true nor false", last), "git config " + full + " true"}
		}
		*p = on
	case *Usage:
		return choose(p, full, last, PerRun, PerSession, CostPerSession)
	case *Count:
		return choose(p, full, last, CountsCalls, CountsEnd, CountsNever, CountsFree)
	case *Commit:
		return choose(p, full, last, ByAgent, BySupervisor)
	case *Contract:
		return choose(p, full, last, Full, Partial, Unknown)
	case *[]string:
		switch {
		case key == "env":
			*p = append(slices.Clone(*p), strings.Fields(strings.Join(values, " "))...) // names have no blanks
		case len(values) == 1 && (last == "" || key == "resume" && last == "false"):
			*p = nil
		default:
			*p = values
		}
	}
	return nil
}

func choose[W ~string](p *W, full, word string, words ...W) error {
	if !slices.Contains(words, W(word)) {
		return &ConfigError{full, fmt.Sprintf("%q is none of %v", word, words), fmt.Sprintf("git config %s %s", full, words[0])}
	}
	*p = W(word)
	return nil
}

// unknownPlace looks like a placeholder; JSON and TOML have none such.
var unknownPlace = regexp.MustCompile(`\{[a-z]+\}`)

// check refuses a row that could not be run.
func (r *Row) check() error {
	full := func(key string) string { return Prefix + r.Name + "." + key }
	if r.Binary == "" && !r.fixed() {
		return &ConfigError{full("binary"), "a provider needs a program", "git config " + full("binary") + " PROGRAM"}
	}
	if !slices.Contains(transcript.Families(), r.Output) {
		return &ConfigError{full("output"), fmt.Sprintf("%q is no output family; there are %s", r.Output, strings.Join(transcript.Families(), ", ")),
			"git config " + full("output") + " plain"}
	}
	if len(r.Ledger) > 0 && !slices.Contains(transcript.Ledgers(), r.Output) {
		return &ConfigError{full("ledger"), "of the output family " + r.Output + " none can be read; there are " + strings.Join(transcript.Ledgers(), ", "), unset(full("ledger"))}
	}
	for key, field := range r.keys() {
		switch p := field.(type) {
		case *string:
			if key != "quota" && key != "outage" && key != "login" {
				continue
			}
			if _, err := regexp.Compile(*p); err != nil {
				return &ConfigError{full(key), err.Error(), unset(full(key))}
			}
		case *[]string:
			if err := words(full(key), key, *p); err != nil {
				return err
			}
		}
	}
	if r.Model != "" && !r.choosable() {
		return &ConfigError{full("model"), "how a model is chosen is not known: set " + full("model-args"), "git config --add " + full("model-args") + " --model={model}"}
	}
	return nil
}

// words refuses a placeholder that there is not, and a variable without a value.
func words(full, key string, list []string) error {
	for _, word := range list {
		for _, text := range unknownPlace.FindAllString(word, -1) {
			if !place.MatchString(text) {
				return &ConfigError{full, text + " stands for nothing", unset(full)}
			}
		}
		if strings.HasSuffix(key, "env") && key != "env" || key == "env-set" {
			if name, _, ok := strings.Cut(word, "="); !ok || name == "" {
				return &ConfigError{full, fmt.Sprintf("%q is not NAME=VALUE", word), unset(full)}
			}
		}
	}
	return nil
}
