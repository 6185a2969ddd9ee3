package view

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// PrincipalText says in a line what a principal may do, and what it is known by.
func PrincipalText(p flow.Principal) string {
	return strings.Join(append([]string{rightsText(p)}, knownBy(p)...), "; ")
}

// knownBy is what a server knows a principal by.
func knownBy(p flow.Principal) (list []string) {
	if len(p.Users) > 0 {
		list = append(list, "server user "+strings.Join(p.Users, ", "))
	}
	for _, key := range p.Keys {
		list = append(list, "key "+Fingerprint(key))
	}
	if len(list) == 0 {
		list = append(list, "no key and no server user")
	}
	return list
}

// rightsText is what a principal may do.
func rightsText(p flow.Principal) string {
	var parts []string
	if len(p.Rights) > 0 {
		parts = append(parts, "rights "+strings.Join(p.Rights, ", "))
	}
	if len(p.Roles) > 0 {
		parts = append(parts, "acts for every "+JoinRoles(p.Roles))
	}
	if len(p.Agents) > 0 {
		whom := "acts as " + strings.Join(p.Agents, ", ")
		if len(p.Roles) == 0 && !slices.ContainsFunc(p.Agents, func(glob string) bool { return !strings.HasPrefix(glob, "human:") }) {
			whom += " and every agent" // it names none, see flow.Principal.MayAct
		}
		parts = append(parts, whom)
	}
	return strings.Join(parts, "; ")
}

// Fingerprint is a public key's, as ssh-keygen -l shows it.
func Fingerprint(key string) string {
	_, encoded, _ := strings.Cut(key, " ")
	encoded, _, _ = strings.Cut(encoded, " ")
	blob, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// Principal is a principal as JSON has it, with its keys' fingerprints.
func Principal(p flow.Principal) Object {
	prints := []any{}
	for _, key := range p.Keys {
		prints = append(prints, Fingerprint(key))
	}
	return ObjectOf(p).With("fingerprints", prints)
}

// Principals are the board's principals as JSON has them, and for people.
// self is the one that this clone acts as, "" if it has none.
func Principals(list []flow.Principal, self string) ([]Object, *Table) {
	objects, rows := []Object{}, Table{}
	for _, p := range list {
		mark := "-"
		if p.Name == self {
			mark = "*"
		}
		rows.Add(mark, p.Name, p.Kind, rightsText(p))
		for _, known := range knownBy(p) {
			rows.Add("", "", "", known)
		}
		objects = append(objects, Principal(p).With("self", p.Name == self))
	}
	return objects, &rows
}
