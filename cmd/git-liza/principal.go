package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

type principalCommands struct {
	List   principalListCommand   `cmd:"" default:"1" help:"Who may act as whom, and which of them this clone is; the default."`
	Add    principalAddCommand    `cmd:"" help:"Enter a principal; the first one is the board's admin."`
	Remove principalRemoveCommand `cmd:"" help:"Take a principal off the board."`
	Key    principalKeyCommand    `cmd:"" help:"Print the public key that this clone signs with, after making one if there is none."`
}

type principalAddCommand struct {
	Name    string      `arg:"" help:"Such as ann or build-host."`
	Kind    string      `enum:"human,machine," default:"" placeholder:"K" help:"human or machine; the first principal is human unless it is said."`
	Key     []string    `sep:"none" placeholder:"FILE|TEXT" help:"An SSH public key that signs its moves; repeatable."`
	NewKey  bool        `help:"Also the key of this clone, which is made if there is none."`
	User    []string    `sep:"none" placeholder:"U" help:"A user name that the server knows it by; repeatable."`
	Agent   []string    `sep:"none" placeholder:"GLOB" help:"Whom it may act as: ids such as coder-*, or human:NAME; repeatable."`
	Role    []flow.Role `placeholder:"R" help:"Whose agents it may act as: planner, coder, code-reviewer; repeatable."`
	Right   []string    `placeholder:"R" help:"admin or merge; repeatable."`
	Replace bool        `help:"Change one that is there to what the flags say; an empty value clears a list."`
}

func (c *principalAddCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	want := flow.Principal{Name: c.Name, Kind: c.Kind, Users: given(c.User), Agents: given(c.Agent), Roles: c.Role, Rights: given(c.Right)}
	if want.Keys, err = s.keys(c.Key); err != nil {
		return err
	}
	if c.NewKey {
		key, _, err := clone.Key(s.ctx, c.Name)
		if err != nil {
			return err
		}
		want.Keys = append(want.Keys, key)
	}
	got, r, err := clone.Admit(s.ctx, want, c.Replace)
	if err != nil {
		return err
	}
	p := r.After.Principals().Find(c.Name)
	view := viewPrincipal(*p)
	line := fmt.Sprintf("%s is a %s principal: %s", p.Name, p.Kind, may(*p))
	if got.First {
		line += "\nit is the first, and so the board's admin"
	}
	if got.Configured {
		line += "\nthis clone acts as " + p.Name + " from now on (git config liza.principal)"
	}
	return s.result(r, append(view, member{"first", got.First}, member{"configured", got.Configured}), "%s", line)
}

// given is a list of a flag: nil where the flag is absent, empty where its
// only value is.
func given(list []string) []string {
	if list == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return one == "" })
}

// maxKeyFile bounds what is read as a public key.
const maxKeyFile = 64 << 10

// keys reads public keys, each a text or the name of a file, without comments.
func (s *session) keys(list []string) ([]string, error) {
	if list == nil {
		return nil, nil
	}
	keys := []string{}
	for _, text := range given(list) {
		if !isKeyText(text) {
			path := text
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.dir, path)
			}
			info, err := os.Stat(path)
			if err != nil {
				return nil, err
			}
			if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
				return nil, usagef("git liza help principal add", "%s is not the file of a public key", path)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = string(content)
		}
		if strings.Contains(text, "PRIVATE KEY") {
			return nil, usagef("git liza help principal add", "that is a private key; name the public one, which ends in .pub")
		}
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0][0] == '#' {
				continue
			}
			keys = append(keys, strings.Join(words[:min(len(words), 2)], " "))
		}
	}
	return keys, nil
}

// isKeyText tells the text of a key from the name of a file, which may have
// blanks too.
func isKeyText(text string) bool {
	return beginsKey(text) || strings.Contains(text, "\n") || strings.Contains(text, "PRIVATE KEY")
}

// may says in a line what a principal is allowed, and what it is known by.
func may(p flow.Principal) string {
	return strings.Join(append([]string{allowed(p)}, knownBy(p)...), "; ")
}

// knownBy is how a server tells that somebody is a principal.
func knownBy(p flow.Principal) (list []string) {
	if len(p.Users) > 0 {
		list = append(list, "server user "+strings.Join(p.Users, ", "))
	}
	for _, key := range p.Keys {
		list = append(list, "key "+fingerprint(key))
	}
	if len(list) == 0 {
		list = append(list, "no key and no server user")
	}
	return list
}

// allowed is what a principal may do.
func allowed(p flow.Principal) string {
	var parts []string
	if len(p.Rights) > 0 {
		parts = append(parts, "rights "+strings.Join(p.Rights, ", "))
	}
	var roles []string
	for _, role := range p.Roles {
		roles = append(roles, role.String())
	}
	if len(roles) > 0 {
		parts = append(parts, "acts for every "+strings.Join(roles, ", "))
	}
	if len(p.Agents) > 0 {
		whom := "acts as " + strings.Join(p.Agents, ", ")
		if len(roles) == 0 && !slices.ContainsFunc(p.Agents, func(glob string) bool { return !strings.HasPrefix(glob, "human:") }) {
			whom += " and every agent" // it names none, see flow.Principal.MayAct
		}
		parts = append(parts, whom)
	}
	return strings.Join(parts, "; ")
}

// fingerprint is a public key's, as ssh-keygen -l shows it.
func fingerprint(key string) string {
	_, encoded, _ := strings.Cut(key, " ")
	encoded, _, _ = strings.Cut(encoded, " ")
	blob, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// viewPrincipal is a principal as JSON has it, with its keys' fingerprints.
func viewPrincipal(p flow.Principal) object {
	prints := []any{}
	for _, key := range p.Keys {
		prints = append(prints, fingerprint(key))
	}
	return append(viewOf(p).(object), member{"fingerprints", prints})
}

type principalListCommand struct{}

func (c *principalListCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	who := l.board.Principals()
	if err := l.board.Err(); err != nil {
		return err
	}
	me, err := l.Repo.Config(s.ctx, "liza.principal")
	if err != nil {
		return err
	}
	list := []any{}
	rows := table{}
	for _, p := range who.List {
		mark := "-"
		if p.Name == me {
			mark = "*"
		}
		rows.add(mark, p.Name, p.Kind, allowed(p))
		for _, known := range knownBy(p) {
			rows.add("", "", "", known)
		}
		list = append(list, append(viewPrincipal(p), member{"self", p.Name == me}))
	}
	text := rows.text(s.width())
	switch {
	case len(list) == 0:
		text = "no principals: who acts is not enforced; the first one: git liza principal add NAME --new-key"
	case who.Find(me) == nil:
		text += unknownSelf(me)
	}
	return s.answer("", map[string]any{"principals": list, "principal": me, "enforced": len(list) > 0}, text)
}

// unknownSelf tells a clone that can make no move why.
func unknownSelf(me string) string {
	if me == "" {
		return "this clone acts as none of them: git config liza.principal NAME"
	}
	return "this clone acts as " + me + ", which is none of them: git config liza.principal NAME"
}

type principalRemoveCommand struct {
	Name string `arg:""`
}

func (c *principalRemoveCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Dismiss(s.ctx, c.Name)
	if err != nil {
		return err
	}
	return s.result(r, map[string]any{"principal": c.Name}, "%s is no principal any more", c.Name)
}

type principalKeyCommand struct {
	Name string `arg:"" help:"Of the principal that this clone signs as."`
}

func (c *principalKeyCommand) Run(s *session) error {
	clone, err := s.reader()
	if err != nil {
		return err
	}
	public, made, err := clone.Key(s.ctx, c.Name)
	if err != nil {
		return err
	}
	outcome := "already"
	if made {
		outcome = "changed"
	}
	return s.answer(outcome, map[string]any{"principal": c.Name, "key": public, "fingerprint": fingerprint(public)}, public)
}
