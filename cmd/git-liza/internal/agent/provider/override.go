package provider

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Prefix begins the keys of git's configuration that describe providers:
// liza.provider.NAME.KEY.
const Prefix = "liza.provider."

// A ConfigError is a key of git's configuration that does not describe a provider
// correctly.
type ConfigError struct {
	Key    string // such as liza.provider.claude.minimum
	Reason string
	Hint   string // a command that corrects it
}

// Error is the key and the reason.
func (e *ConfigError) Error() string { return e.Key + ": " + e.Reason }

// Load is the built-in catalogue with more rows, with the user's settings, and with rows of the
// user's own, which need the keys binary and output. The settings are those under
// [Prefix]. Errors are [*ConfigError].
//
// A list has a value for each word, in order; one empty value, or false for resume,
// makes it empty. The words of env are added to those of the row. Every other
// setting replaces the row's.
func Load(settings []git.Setting, more ...Row) (Catalogue, error) {
	c := append(Builtin(), more...)
	values := map[string]map[string][]string{} // by name and key
	var names []string
	for _, s := range settings {
		name, key, err := splitKey(s.Key)
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
		if c.FindRow(name) == nil {
			if err := checkOwnRow(name, values[name]); err != nil {
				return nil, err
			}
			c = append(c, ownRow(name, "your own"))
		}
		row := c.FindRow(name)
		for _, key := range slices.Sorted(maps.Keys(values[name])) {
			if err := row.setKey(key, values[name][key]); err != nil {
				return nil, err
			}
		}
		if err := row.checkRow(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// ownRow is a row that is not built in, before anything is said of it.
func ownRow(name, about string) Row {
	return Row{Name: name, About: about, Env: slices.Clone(commonVariables), Usage: PerRun, Tokens: CountsNever, Cost: CountsNever, Commit: ByAgent, Contract: Unknown}
}

var rowName = pattern.Late(`^[a-z][a-z0-9-]{0,31}$`)

// splitKey splits liza.provider.NAME.KEY into NAME and KEY.
func splitKey(full string) (name, key string, err error) {
	rest := strings.TrimPrefix(full, Prefix)
	i := strings.LastIndexByte(rest, '.')
	if i < 0 || !rowName().MatchString(rest[:i]) {
		return "", "", &ConfigError{full, "no provider has such a name: lower-case letters, digits and -", unsetCommand(full)}
	}
	return rest[:i], rest[i+1:], nil
}

// unsetCommand is the command that removes a key.
func unsetCommand(key string) string { return "git config --unset-all " + key }

// checkOwnRow refuses a row of the user's own without the keys that it needs: most
// often the name of a built-in row is misspelled.
func checkOwnRow(name string, values map[string][]string) error {
	for _, need := range []string{"binary", "output"} {
		if len(values[need]) == 0 {
			key := slices.Sorted(maps.Keys(values))[0]
			return &ConfigError{Prefix + name + "." + key, fmt.Sprintf("there is no provider %s; one of your own needs %s%s.%s", name, Prefix, name, need),
				"git config " + Prefix + name + "." + need + " " + strings.ToUpper(need)}
		}
	}
	return nil
}

// keys are the fields of a row that can be configured, by their keys.
func (r *Row) keys() map[string]any {
	return map[string]any{
		"about": &r.About, "advice": &r.Advice, "binary": &r.Binary, "install": &r.Install, "version": &r.Version, "minimum": &r.Minimum,
		"args": &r.Args, "model": &r.Model, "model-args": &r.ModelArgs, "system": &r.System, "session": &r.Session, "resume": &r.Resume,
		"planner": &r.Roles.Planner, "coder": &r.Roles.Coder, "code-reviewer": &r.Roles.CodeReviewer,
		"tools-read": &r.Tools.Read, "tools-write": &r.Tools.Write, "tools-run": &r.Tools.Run, "tools-web": &r.Tools.Web, "web": &r.Web,
		"env": &r.Env, "env-set": &r.EnvSet,
		"planner-env": &r.EnvFor.Planner, "coder-env": &r.EnvFor.Coder, "code-reviewer-env": &r.EnvFor.CodeReviewer,
		"confined": &r.Confined, "keys": &r.Keys, "login-args": &r.LoginArgs, "login-files": &r.LoginFiles, "folders": &r.Folders, "loads": &r.Loads,
		"output": &r.Output, "acp": &r.ACP, "usage": &r.Usage, "tokens": &r.Tokens, "cost": &r.Cost, "ledger": &r.Ledger, "windows": &r.Windows, "handoff": &r.Handoff, "commit": &r.Commit, "contract": &r.Contract,
		"ends": &r.Ends, "reviewer-readonly": &r.ReviewerReadonly, "quota": &r.Quota, "outage": &r.Outage, "login": &r.Login,
	}
}

// setKey sets the field of one key. If it is no list, the last value counts, as in
// git.
func (r *Row) setKey(key string, values []string) error {
	full := Prefix + r.Name + "." + key
	field, known := r.keys()[key]
	if !known {
		return &ConfigError{full, "there is no such key; there are " + strings.Join(slices.Sorted(maps.Keys(r.keys())), ", "), unsetCommand(full)}
	}
	if r.namesNoProgram() && slices.Contains([]string{"binary", "args", "output", "acp"}, key) {
		return &ConfigError{full, r.Name + " has no " + key + " of its own", unsetCommand(full)}
	}
	last := values[len(values)-1]
	switch p := field.(type) {
	case *string:
		*p = last
	case *bool:
		on, known := git.ParseBool(last)
		if !known {
			return &ConfigError{full, fmt.Sprintf("%q is neither true nor false", last), "git config " + full + " true"}
		}
		*p = on
	case *Usage:
		return chooseWord(p, full, last, PerRun, PerSession, CostPerSession)
	case *Count:
		return chooseWord(p, full, last, CountsCalls, CountsEnd, CountsNever, CountsFree)
	case *Commit:
		return chooseWord(p, full, last, ByAgent, BySupervisor)
	case *EndsBy:
		return chooseWord(p, full, last, EndsHeld, EndsTold, "")
	case *Contract:
		return chooseWord(p, full, last, Full, Partial, Unknown)
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

// chooseWord sets a field to a word that is one of words.
func chooseWord[W ~string](p *W, full, word string, words ...W) error {
	if !slices.Contains(words, W(word)) {
		return &ConfigError{full, fmt.Sprintf("%q is none of %v", word, words), fmt.Sprintf("git config %s %s", full, words[0])}
	}
	*p = W(word)
	return nil
}

// unknownPlaceholder matches what looks like a placeholder, and never occurs in JSON
// or TOML.
var unknownPlaceholder = pattern.Late(`\{[a-z]+\}`)

// checkRow refuses a row whose program could not be run.
func (r *Row) checkRow() error {
	full := func(key string) string { return Prefix + r.Name + "." + key }
	if r.Binary == "" && !r.namesNoProgram() {
		return &ConfigError{full("binary"), "a provider needs a program", "git config " + full("binary") + " PROGRAM"}
	}
	if !slices.Contains(transcript.Families(), r.Output) {
		return &ConfigError{full("output"), fmt.Sprintf("%q is no output family; there are %s", r.Output, strings.Join(transcript.Families(), ", ")),
			"git config " + full("output") + " plain"}
	}
	if len(r.Ledger) > 0 && !slices.Contains(transcript.Ledgers(), r.Output) {
		return &ConfigError{full("ledger"), "of the output family " + r.Output + " none can be read; there are " + strings.Join(transcript.Ledgers(), ", "), unsetCommand(full("ledger"))}
	}
	for key, field := range r.keys() {
		switch p := field.(type) {
		case *string:
			if code, err := strconv.Atoi(*p); key == "handoff" && *p != "" && (err != nil || code < 1 || code > 255) {
				return &ConfigError{full(key), fmt.Sprintf("%q is no exit code from 1 to 255", *p), "git config " + full(key) + " 2"}
			}
			if key != "quota" && key != "outage" && key != "login" {
				continue
			}
			if _, err := regexp.Compile(*p); err != nil {
				return &ConfigError{full(key), err.Error(), unsetCommand(full(key))}
			}
		case *[]string:
			if err := checkWords(full(key), key, *p); err != nil {
				return err
			}
		}
	}
	if r.Model != "" && !r.takesModel() {
		return &ConfigError{full("model"), "how a model is chosen is not known: set " + full("model-args"), "git config --add " + full("model-args") + " --model={model}"}
	}
	return nil
}

// checkWords refuses words with an unknown placeholder, and variables without a value.
func checkWords(full, key string, list []string) error {
	for _, word := range list {
		if _, _, err := splitWindow(word); key == "windows" && err != nil {
			return &ConfigError{full, err.Error(), "git config " + full + " '*=200000'"}
		}
		for _, text := range unknownPlaceholder().FindAllString(word, -1) {
			if !placeholder().MatchString(text) {
				return &ConfigError{full, text + " stands for nothing", unsetCommand(full)}
			}
		}
		if strings.HasSuffix(key, "env") && key != "env" || key == "env-set" {
			if name, _, ok := strings.Cut(word, "="); !ok || name == "" {
				return &ConfigError{full, fmt.Sprintf("%q is not NAME=VALUE", word), unsetCommand(full)}
			}
		}
	}
	return nil
}

// ReadRows reads rows that are not built in from a file of the form of the built-in
// catalogue. What a row does not say of its usage is as in rows of the user's own. The
// error is that of [document.Decode], a [*ConfigError], or says that a name is wrong.
func ReadRows(name string, text []byte) (rows []Row, err error) {
	if err := document.Decode(name, text, &rows); err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		if !rowName().MatchString(r.Name) {
			return nil, fmt.Errorf("no provider is named %q: lower-case letters, digits and -", r.Name)
		}
		if builtinRows().FindRow(r.Name) != nil || Catalogue(rows[:i]).FindRow(r.Name) != nil {
			return nil, fmt.Errorf("there is a provider %s already", r.Name)
		}
		own := ownRow(r.Name, "of "+name)
		r.About, r.Env = cmp.Or(r.About, own.About), append(r.Env, own.Env...)
		full := func(key string) string { return r.Name + ": " + key }
		for _, err := range []error{
			chooseWord(&r.Usage, full("usage"), string(cmp.Or(r.Usage, own.Usage)), PerRun, PerSession, CostPerSession),
			chooseWord(&r.Tokens, full("tokens"), string(cmp.Or(r.Tokens, own.Tokens)), CountsCalls, CountsEnd, CountsNever, CountsFree),
			chooseWord(&r.Cost, full("cost"), string(cmp.Or(r.Cost, own.Cost)), CountsCalls, CountsEnd, CountsNever, CountsFree),
			chooseWord(&r.Commit, full("commit"), string(cmp.Or(r.Commit, own.Commit)), ByAgent, BySupervisor),
			chooseWord(&r.Ends, full("ends"), string(r.Ends), EndsHeld, EndsTold, ""),
			chooseWord(&r.Contract, full("contract"), string(cmp.Or(r.Contract, own.Contract)), Full, Partial, Unknown),
			r.checkRow(),
		} {
			if err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}
