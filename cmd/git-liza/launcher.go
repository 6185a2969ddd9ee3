package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow/board"
)

// launcher returns where git's configuration has the sessions of a role run.
func (p providerChoice) launcher(role board.Role) (l launcher.Launcher, err error) {
	s, err := p.readLauncher(role)
	if err != nil || s.Kind == launcher.Process {
		return l, err
	}
	repo := p.opened
	if repo == nil {
		if repo, err = p.repo(); err != nil {
			return l, err
		}
	}
	return launcher.Choose(p.ctx, s, repo.MainWorkTree(), p.environ), nil
}

// readLauncher reads liza.launcher, liza.launcher.ROLE and the keys below liza.container.
func (p providerChoice) readLauncher(role board.Role) (s launcher.Settings, err error) {
	ctx, conf := p.ctx, p.conf
	for key, value := range map[string]*string{"liza.container.engine": &s.Engine, "liza.container.image": &s.Image,
		"liza.container.user": &s.User, "liza.container.memory": &s.Memory} {
		if *value, err = conf.Config(ctx, key); err != nil {
			return s, err
		}
	}
	if err := readCount(ctx, conf, "liza.container.processes", &s.Processes); err != nil {
		return s, err
	}
	s.Kind = launcher.Process
	for _, key := range []string{"liza.launcher", "liza.launcher." + role.String()} {
		text, err := conf.Config(ctx, key)
		if err != nil {
			return s, err
		}
		switch text {
		case "":
		case launcher.Process, launcher.InContainer, launcher.Auto:
			s.Kind = text
		default:
			named, ok, err := p.namedLauncher(text, s)
			if err != nil {
				return s, err
			}
			if ok {
				s = named
				continue
			}
			if why, command := p.lacking(extension.LaunchersFile); why != "" {
				return s, usagef(command, "%s is %q, none of process, container and auto; %s", key, text, why)
			}
			return s, usagef("git config "+key+" process", "%s is %q, none of process, container and auto, and no extension that is trusted here has such a launcher", key, text)
		}
	}
	return s, nil
}
