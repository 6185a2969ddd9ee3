package main

import (
	"errors"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow"
)

// readTrusted reads one file of each extension of the integration branch that is trusted on
// this machine and right. Of two rows with a name the later one lies above and is the only
// one. Outside of a repository with a board there is none.
func readTrusted[Row any](p providerChoice, file string, read func(string, []byte) ([]Row, error), name func(Row) string) (rows []Row, err error) {
	if allow, err := p.conf.Config(p.ctx, "liza.trust.allow"); err != nil || allow == "" {
		return nil, err
	}
	l, err := p.look()
	if err != nil {
		return nil, nil
	}
	list, err := l.clone.Trust.TrustedExtensions(p.ctx, l.reading.Board)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if !e.Has(file) || e.Wrong != "" {
			continue
		}
		text, err := e.Read(file)
		if err != nil {
			return nil, err
		}
		more, err := read(extension.Folder+"/"+e.Name+"/"+file, text)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(row Row) bool {
			return slices.ContainsFunc(more, func(above Row) bool { return name(above) == name(row) })
		})
		rows = append(rows, more...)
	}
	return rows, nil
}

// namedLauncher returns the settings of a launcher of an extension where s does not say
// otherwise, and whether there is one.
func (p providerChoice) namedLauncher(name string, s launcher.Settings) (launcher.Settings, bool, error) {
	list, err := readTrusted(p, extension.LaunchersFile, launcher.ReadNamed, func(n launcher.Named) string { return n.Name })
	if err != nil {
		return s, false, err
	}
	i := slices.IndexFunc(list, func(n launcher.Named) bool { return n.Name == name })
	if i < 0 {
		return s, false, nil
	}
	return list[i].Over(s), true, nil
}

// lacking says of the first extension with a file of which nothing is used on this machine
// why that is so, and which command helps; "" if there is none.
func (p providerChoice) lacking(file string) (why, command string) {
	l, err := p.look()
	if err != nil {
		return "", ""
	}
	list, err := l.clone.Trust.Extensions(p.ctx, l.reading.Board)
	if err != nil {
		return "", ""
	}
	allowed, err := l.clone.Trust.Allowed(p.ctx)
	for _, e := range list {
		var refusal *flow.Refusal
		if err == nil && e.Has(file) && errors.As(allowed.Check(e.Command()), &refusal) {
			return "the extension " + e.Name + " has more, and is not trusted here", refusal.Hint
		}
	}
	list, err = l.clone.Trust.TrustedExtensions(p.ctx, l.reading.Board)
	for _, e := range list {
		if err == nil && e.Has(file) && e.Wrong != "" {
			return "the extension " + e.Name + " has more, and something is wrong with it: " + e.Wrong, checkExtensions(l.reading.Board)
		}
	}
	return "", ""
}
