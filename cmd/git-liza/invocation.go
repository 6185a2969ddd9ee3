package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A session is one run of the program: where it runs, on whose behalf, and
// where it prints. Commands print through it and nowhere else.
type session struct {
	ctx     context.Context
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	environ []string
	now     func() time.Time
	dir     string
	sole    string // the provider that was taken because it is the only one
	as      string // --as or LIZA_AGENT_ID, "" for the human
	json    bool
	color   bool
	call    *call // of a tool, which takes what else is printed
}

func (s *session) getenv(key string) string {
	for i := len(s.environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(s.environ[i], key+"="); ok {
			return value
		}
	}
	return ""
}

// clone opens the repository for moves: it needs somebody who makes them.
func (s *session) clone() (*work.Clone, error) {
	c, err := s.reader()
	if err != nil {
		return nil, err
	}
	by, g, err := s.actor(c.Repo)
	if err != nil {
		return nil, err
	}
	c.Distant = s.call != nil
	return c, c.Identify(s.ctx, by, g)
}

// repo opens the repository. What a command waits for is told to whoever waits.
func (s *session) repo() (*git.Repo, error) {
	repo, err := git.Open(s.ctx, s.dir)
	if err != nil {
		return nil, err
	}
	repo.Notice = func(line string) {
		if s.call != nil {
			s.call.tell(line)
		}
		fmt.Fprintln(s.stderr, line)
	}
	repo.Background = s.background
	return repo, nil
}

// reader opens the repository for looking only; as which principal it would
// act is known all the same.
func (s *session) reader() (*work.Clone, error) {
	repo, err := s.repo()
	if err != nil {
		return nil, err
	}
	c, err := work.Open(s.ctx, repo, s.now, s.environ)
	if err != nil {
		return nil, err
	}
	c.Specs.Dir = s.dir
	c.Principal, err = repo.Config(s.ctx, "liza.principal")
	return c, err
}
