package board

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"path"
	"slices"
	"strings"
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
	agents, humans := p.Globs()
	if by.IsHuman() {
		return p.Kind == "human" && matchesOne(humans, string(by))
	}
	role := by.Role()
	if role == "" || len(p.Roles) == 0 && len(p.Agents) == 0 || len(p.Roles) > 0 && !slices.Contains(p.Roles, role) {
		return false
	}
	return len(agents) == 0 || matchesOne(agents, string(by))
}

// Globs are the patterns of agents and those of humans.
func (p *Principal) Globs() (agents, humans []string) {
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

// Bare is the principal as the board stores it: its keys have no comments.
func (p *Principal) Bare() Principal {
	b := *p
	b.Keys = slices.Clone(p.Keys)
	for i, key := range b.Keys {
		b.Keys[i] = BareKey(key)
	}
	return b
}

// Equal reports whether two principals have the same keys, users, agents, roles, rights and accounts.
func (p *Principal) Equal(o Principal) bool {
	return p.Name == o.Name && p.Kind == o.Kind && slices.Equal(p.Keys, o.Keys) && slices.Equal(p.Users, o.Users) &&
		slices.Equal(p.Agents, o.Agents) && slices.Equal(p.Roles, o.Roles) && slices.Equal(p.Rights, o.Rights) &&
		slices.Equal(p.Accounts, o.Accounts)
}

// keyTypes are the types of keys that ssh signs with today. Certificates are
// left out, because nothing here checks the authority that signed them.
var keyTypes = []string{"ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
	"sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"}

// BareKey is the type and base64 of a line of a public key file, "" if the text
// is no such line. The key repeats its type in its first bytes.
func BareKey(line string) string {
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
