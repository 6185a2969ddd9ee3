package flow

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Principal is a human or machine account that may act as given agents.
type Principal struct {
	Name   string   `yaml:"name"`
	Kind   string   `yaml:"kind"`   // human or machine
	Keys   []string `yaml:"keys"`   // SSH public keys: type and base64, without a comment
	Users  []string `yaml:"users"`  // names by which a server knows it
	Agents []string `yaml:"agents"` // globs of agent ids; those with the prefix human: are of humans
	Roles  []Role   `yaml:"roles"`  // of the agents, all if empty
	Rights []string `yaml:"rights"` // admin, merge, vouch

	Accounts []string `yaml:"accounts"` // on code hosts, HOST/NAME
}

// MayAct reports whether the principal may make moves by the actor. An agent
// must have one of the roles of the principal and match one of its globs of
// agents. Either condition is dropped if the principal has none, but not both.
// A human actor must match a glob with the prefix human:, and the principal
// must be of that kind.
func (p *Principal) MayAct(by Actor) bool {
	agents, humans := p.globs()
	if by.IsHuman() {
		return p.Kind == "human" && matchesOne(humans, string(by))
	}
	role := by.Role()
	if role == "" || len(p.Roles) == 0 && len(p.Agents) == 0 || len(p.Roles) > 0 && !slices.Contains(p.Roles, role) {
		return false
	}
	return len(agents) == 0 || matchesOne(agents, string(by))
}

// globs are the patterns of agents and those of humans.
func (p *Principal) globs() (agents, humans []string) {
	for _, glob := range p.Agents {
		if strings.HasPrefix(glob, "human:") {
			humans = append(humans, glob)
			continue
		}
		agents = append(agents, glob)
	}
	return agents, humans
}

func matchesOne(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return ok && err == nil
	})
}

// check refuses an account that cannot be used as it is.
func (p *Principal) check() *Refusal {
	hint := "git liza help principal"
	agents, humans := p.globs()
	switch {
	case !validID(p.Name) || strings.HasSuffix(strings.ToLower(p.Name), ".pub"):
		return refuse(RuleForm, hint, "%q is not a principal's name", clip(p.Name))
	case p.Kind != "human" && p.Kind != "machine":
		return refuse(RuleForm, hint, "%q is not a kind of principal (human, machine)", clip(p.Kind))
	case p.Kind == "human" && len(humans) == 0:
		return refuse(RuleForm, hint, "the human %s acts as no human: its agents need a pattern such as human:%s", p.Name, strings.ToLower(p.Name))
	case p.Kind == "machine" && len(humans) > 0:
		return refuse(RuleForm, hint, "the machine %s does not act as a human (%s)", p.Name, clip(humans[0]))
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
		{"an SSH public key (TYPE BASE64, such as ssh-ed25519 AAAA…)", p.Keys, func(key string) bool { return bareKey(key) != "" }},
		{"the name of a user of a server", p.Users, goodUser},
		{"a pattern of agents (such as coder-*) or humans (human:ann)", p.Agents, goodGlob},
		{"a right (admin, merge, vouch)", p.Rights, func(right string) bool { return slices.Contains(rights, right) }},
		{"an account on a code host (HOST/NAME)", p.Accounts, goodAccount},
	} {
		if i := slices.IndexFunc(list.texts, func(text string) bool { return !list.good(text) }); i >= 0 {
			return refuse(RuleForm, hint, "%q is not %s", clip(list.texts[i]), list.what)
		}
	}
	return nil
}

// rights are all rights of principals.
var rights = []string{"admin", "merge", "vouch"}

// bare is the principal as the board stores it: its keys have no comments.
func (p *Principal) bare() Principal {
	b := *p
	b.Keys = slices.Clone(p.Keys)
	for i, key := range b.Keys {
		b.Keys[i] = bareKey(key)
	}
	return b
}

func (p *Principal) equal(o Principal) bool {
	return p.Name == o.Name && p.Kind == o.Kind && slices.Equal(p.Keys, o.Keys) && slices.Equal(p.Users, o.Users) &&
		slices.Equal(p.Agents, o.Agents) && slices.Equal(p.Roles, o.Roles) && slices.Equal(p.Rights, o.Rights) &&
		slices.Equal(p.Accounts, o.Accounts)
}

// keyTypes are the types of keys that ssh signs with today. Certificates are
// left out, because nothing here checks the authority that signed them.
var keyTypes = []string{"ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
	"sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"}

// bareKey is the type and base64 of a line of a public key file, "" if the text
// is no such line. The key repeats its type in its first bytes.
func bareKey(line string) string {
	fields := strings.Fields(line)
	if len(fields) < 2 || strings.Contains(line, "\n") || !slices.Contains(keyTypes, fields[0]) {
		return ""
	}
	name, raw := fields[0], fields[1]
	key, err := base64.StdEncoding.Strict().DecodeString(raw)
	begins := append(binary.BigEndian.AppendUint32(nil, uint32(len(name))), name...)
	if err != nil || !bytes.HasPrefix(key, begins) || len(key) == len(begins) {
		return ""
	}
	return name + " " + raw
}

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
	if name == "" || len(glob) > 128 || strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("*?[]^", r) }) {
		return false
	}
	_, err := path.Match(glob, "")
	return err == nil
}
