package flow

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
)

// checkPrincipalForm refuses an account that cannot be used as it is.
func checkPrincipalForm(p *board.Principal) *Refusal {
	hint := "git liza help principal"
	agents, humans := p.Globs()
	switch {
	case !board.ValidID(p.Name) || strings.HasSuffix(strings.ToLower(p.Name), ".pub"):
		return refuse(RuleForm, hint, "%q is not a principal's name", board.Clip(p.Name))
	case p.Kind != "human" && p.Kind != "machine":
		return refuse(RuleForm, hint, "%q is not a kind of principal (human, machine)", board.Clip(p.Kind))
	case p.Kind == "human" && len(humans) == 0:
		return refuse(RuleForm, hint, "the human %s acts as no human: its agents need a pattern such as human:%s", p.Name, strings.ToLower(p.Name))
	case p.Kind == "machine" && len(humans) > 0:
		return refuse(RuleForm, hint, "the machine %s does not act as a human (%s)", p.Name, board.Clip(humans[0]))
	case p.Kind == "machine" && len(agents) == 0 && len(p.Roles) == 0:
		return refuse(RuleForm, hint, "the machine %s acts as nobody: it needs roles or agents", p.Name)
	case p.Kind == "machine" && slices.Contains(p.Rights, "admin"):
		return refuse(RuleForm, hint, "only humans have the right admin, and %s is a machine", p.Name)
	case p.Kind == "machine" && slices.Contains(p.Rights, "vouch"):
		return refuse(RuleForm, hint, "a verdict from outside is a person's word, and %s is a machine", p.Name)
	case len(p.Accounts) > 20:
		return refuse(RuleLimit, hint, "a principal has at most 20 accounts")
	}
	for _, list := range []struct {
		what  string
		texts []string
		good  func(string) bool
	}{
		{"an SSH public key (TYPE BASE64, such as ssh-ed25519 AAAA…)", p.Keys, func(key string) bool { return board.BareKey(key) != "" }},
		{"the name of a user of a server", p.Users, goodUser},
		{"a pattern of agents (such as coder-*) or humans (human:ann)", p.Agents, goodGlob},
		{"a right (admin, merge, vouch)", p.Rights, func(right string) bool { return slices.Contains(rights, right) }},
		{"an account on a code host (HOST/NAME)", p.Accounts, goodAccount},
	} {
		if i := slices.IndexFunc(list.texts, func(text string) bool { return !list.good(text) }); i >= 0 {
			return refuse(RuleForm, hint, "%q is not %s", board.Clip(list.texts[i]), list.what)
		}
	}
	return nil
}

// rights are all rights of principals.
var rights = []string{"admin", "merge", "vouch"}

// goodUser accepts names that are one word in an environment variable and in a
// message.
func goodUser(name string) bool {
	return name != "" && len(name) <= 128 && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) })
}

// goodGlob accepts patterns of [path.Match] with the characters of agent ids
// and human:<name>.
func goodGlob(glob string) bool {
	name := strings.TrimPrefix(glob, "human:")
	if name == "" || len(glob) > 128 || strings.ContainsFunc(name, func(r rune) bool { return !board.IsWordRune(r) && !strings.ContainsRune("*?[]^", r) }) {
		return false
	}
	_, err := path.Match(glob, "")
	return err == nil
}
