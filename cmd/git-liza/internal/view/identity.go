package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// An Identity is the principal of this clone with its rights, and the
// principals that may merge.
type Identity struct {
	Enforced  bool     `json:"enforced"`  // the board has principals
	Principal string   `json:"principal"` // this clone's, by git config
	Known     bool     `json:"known"`     // the board has this principal
	Rights    []string `json:"rights"`    // the rights of this principal
	Merges    []string `json:"merges"`    // the principals that may merge; none: everybody

	option string // " --as ID" if this clone may act only as agents
}

// IdentityOf returns the identity of the clone of the reading. by is the actor
// of its moves, "" if unknown.
func (r Reading) IdentityOf(by board.Actor) Identity {
	known := r.Board.Principals()
	id := Identity{Enforced: len(known.List) > 0, Principal: r.Principal, Rights: []string{}, Merges: []string{}}
	if p := known.Find(r.Principal); p != nil {
		id.Known, id.Rights = true, append(id.Rights, p.Rights...)
		if by != "" && !p.MayAct(by) {
			id.option = r.agentOption(p)
		}
	}
	merging := lists.Where(known.List, func(p board.Principal) bool { return slices.Contains(p.Rights, "merge") })
	id.Merges = append(id.Merges, lists.Of(merging, func(p board.Principal) string { return p.Name })...)
	return id
}

// agentOption returns the --as option for an agent that a principal may act
// as.
func (r Reading) agentOption(p *board.Principal) string {
	rows := slices.Clone(r.Board.Roles())
	slices.SortStableFunc(rows, func(x, y *board.RoleRow) int { return cmp.Compare(y.Capacity, x.Capacity) }) // reviewers first: they merge
	for _, row := range rows {
		if len(p.Roles) > 0 && !slices.Contains(p.Roles, row.Name) {
			continue
		}
		if by := r.FreeAgent(row.Name).By; p.MayAct(by) {
			return " --as " + string(by)
		}
	}
	return ""
}

// mayMerge reports whether the rules let this clone merge, as far as its
// principal counts.
func (id Identity) mayMerge() bool {
	return len(id.Merges) == 0 || slices.Contains(id.Merges, id.Principal)
}

// line formats the identity for people.
func (id Identity) line() string {
	if !id.Enforced {
		return "not enforced: no principals"
	}
	if !id.Known {
		return UnknownPrincipal(id.Principal)
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

// UnknownPrincipal explains why a clone can make no move if the board does not
// have its principal.
func UnknownPrincipal(name string) string {
	if name == "" {
		return "this clone acts as none of them: git config liza.principal NAME"
	}
	return "this clone acts as " + name + ", which is none of them: git config liza.principal NAME"
}

// mergeStep returns the step that merges approved work.
func (id Identity) mergeStep(n int) Step {
	if id.mayMerge() {
		return Step{"git liza merge --all" + id.option, Count(n, "task") + " approved"}
	}
	return Step{"git liza principal list", Count(n, "task") + " approved; merging is for " + strings.Join(id.Merges, ", ")}
}

// A Remote is the remote that holds the board.
type Remote struct {
	Name    string `json:"remote"`  // "" where this clone holds the board itself
	Reached any    `json:"reached"` // when it last answered a sync, null if never
	Parted  bool   `json:"parted"`  // when last seen, its board did not contain this clone's
	at      time.Time
}

// RemoteOf returns the remote of that name. at is the time when it last answered
// a sync, the zero time if never.
func RemoteOf(name string, reached time.Time, parted bool) Remote {
	return Remote{name, TimeValue(reached), parted, reached}
}

// line formats the remote for people.
func (m Remote) line(now time.Time) string {
	if m.at.IsZero() {
		return m.Name + ", not reached yet: git liza sync"
	}
	if m.Parted {
		return m.Name + ", whose board does not contain this one: git liza sync"
	}
	return fmt.Sprintf("%s, synced %s ago", m.Name, Span(now.Sub(m.at)))
}
