package view

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// PrincipalText describes in a line what a principal may do, and how a server
// identifies it.
func PrincipalText(p board.Principal) string {
	return strings.Join(append([]string{rightsText(p)}, knownBy(p)...), "; ")
}

// knownBy describes how a server identifies a principal.
func knownBy(p board.Principal) (list []string) {
	if len(p.Users) > 0 {
		list = append(list, "server user "+strings.Join(p.Users, ", "))
	}
	list = append(list, lists.Of(p.Keys, func(key string) string { return "key " + Fingerprint(key) })...)
	if len(list) == 0 {
		list = append(list, "no key and no server user")
	}
	if len(p.Accounts) > 0 {
		list = append(list, "accounts "+strings.Join(p.Accounts, ", "))
	}
	return list
}

// rightsText describes what a principal may do.
func rightsText(p board.Principal) string {
	var parts []string
	if len(p.Rights) > 0 {
		parts = append(parts, "rights "+strings.Join(p.Rights, ", "))
	}
	if len(p.Roles) > 0 {
		parts = append(parts, "acts for every "+JoinIDs(p.Roles))
	}
	if len(p.Agents) > 0 {
		whom := "acts as " + strings.Join(p.Agents, ", ")
		if len(p.Roles) == 0 && !slices.ContainsFunc(p.Agents, func(glob string) bool { return !strings.HasPrefix(glob, "human:") }) {
			whom += " and every agent" // its list of agents is empty, see flow.Principal.MayAct
		}
		parts = append(parts, whom)
	}
	return strings.Join(parts, "; ")
}

// Fingerprint returns the fingerprint of a public key, as ssh-keygen -l shows
// it.
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

// Principal returns a principal for JSON, with its keys' fingerprints.
func Principal(p board.Principal) Object {
	return ObjectOf(p).With("fingerprints", append([]any{}, lists.Of(p.Keys, func(key string) any { return Fingerprint(key) })...))
}

// Principals returns the board's principals for JSON and for people. self is
// the principal that this clone acts as, "" if it has none.
func Principals(list []board.Principal, self string) ([]Object, *Table) {
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
