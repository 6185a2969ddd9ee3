package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// An identity is what status says of who may act, and as whom this clone does.
type identity struct {
	Enforced  bool     `json:"enforced"`  // the board has principals
	Principal string   `json:"principal"` // this clone's, by git config
	Known     bool     `json:"known"`     // the board has that one
	Rights    []string `json:"rights"`    // of it
	Merges    []string `json:"merges"`    // the principals that may merge; none: everybody

	post string // " --as ID" where this clone acts as agents only
}

// identity reads who this clone is on the board.
func (l look) identity(s *session) (identity, error) {
	me, err := l.Repo.Config(s.ctx, "liza.principal")
	if err != nil {
		return identity{}, err
	}
	who := l.board.Principals()
	id := identity{Enforced: len(who.List) > 0, Principal: me, Rights: []string{}, Merges: []string{}}
	if p := who.Find(me); p != nil {
		id.Known, id.Rights = true, append(id.Rights, p.Rights...)
		if by, _, err := s.actor(l.Repo); err == nil && !p.MayAct(by) {
			id.post = l.post(p)
		}
	}
	for _, p := range who.List {
		if slices.Contains(p.Rights, "merge") {
			id.Merges = append(id.Merges, p.Name)
		}
	}
	return id, nil
}

// post is the option that names an agent as whom a principal may act.
func (l look) post(p *flow.Principal) string {
	for _, role := range []flow.Role{flow.CodeReviewer, flow.Coder, flow.Planner} {
		if by := l.free(role).By; p.MayAct(by) {
			return " --as " + string(by)
		}
	}
	return ""
}

// mayMerge reports whether the rules let this clone merge, as far as its
// principal counts.
func (id identity) mayMerge() bool {
	return len(id.Merges) == 0 || slices.Contains(id.Merges, id.Principal)
}

// line is the identity for people.
func (id identity) line() string {
	if !id.Enforced {
		return "not enforced: no principals"
	}
	if !id.Known {
		return unknownSelf(id.Principal)
	}
	line := "this clone acts as " + id.Principal
	if len(id.Rights) > 0 {
		line += " (" + strings.Join(id.Rights, ", ") + ")"
	}
	if len(id.Merges) > 0 && !id.mayMerge() {
		line += "; " + strings.Join(id.Merges, ", ") + " merges"
	}
	return line
}

// mergeStep is what moves approved work on.
func (id identity) mergeStep(n int) step {
	if id.mayMerge() {
		return step{"git liza merge --all" + id.post, count(n, "task") + " approved"}
	}
	return step{"git liza principal list", count(n, "task") + " approved; merging is for " + strings.Join(id.Merges, ", ")}
}

// An authority is the remote that holds the board, as status shows it.
type authority struct {
	Remote  string `json:"remote"`  // "" where this clone holds the board itself
	Reached any    `json:"reached"` // when it last answered a sync, null if never
	Parted  bool   `json:"parted"`  // its board does not contain this clone's, as it was seen last
	at      time.Time
}

func (l look) authority(s *session) (authority, error) {
	remote, err := l.Store.Authority(s.ctx)
	a := authority{Remote: remote}
	if remote != "" {
		a.at = l.Repo.Reached()
		a.Reached = viewTime(a.at)
		err = l.Store.Parted(s.ctx)
	}
	if a.Parted = errors.Is(err, gitstore.ErrDiverged); a.Parted {
		err = nil
	}
	return a, err
}

// line is the authority for people.
func (a authority) line(now time.Time) string {
	if a.at.IsZero() {
		return a.Remote + ", not reached yet: git liza sync"
	}
	if a.Parted {
		return a.Remote + ", whose board does not contain this one: git liza sync"
	}
	return fmt.Sprintf("%s, synced %s ago", a.Remote, span(now.Sub(a.at)))
}
