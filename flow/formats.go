package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// A format is what one format of the board has that the one before it lacks.
// Fields of moves and documents say theirs themselves, in the tag: since=N
// exists from format N on. A guard whose judgement differs asks the settings of
// the board.
type format struct {
	changes []string    // what changes for people, a sentence each
	acts    []board.Act // new ones
	// upgrade writes what a board must have in this format. It runs when a board
	// is migrated, and when one is made. nil writes nothing.
	upgrade func(*effect)
}

// formats are all formats, from 1 on.
var formats = []format{
	{changes: []string{"the first format"}},
}

// Since is the first format that has the act.
func Since(a board.Act) int {
	return 1 + max(0, slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.acts, a) }))
}

// FormatChanges are the sentences that say what the formats after one, up to
// another, change for people.
func FormatChanges(after, to int) []string {
	var all []string
	for _, f := range between(after, to) {
		all = append(all, f.changes...)
	}
	return all
}

// between are the formats after one, up to another.
func between(after, to int) []format {
	return formats[max(after, 0):min(to, len(formats))]
}

// knownFormat refuses a board of a format that this program does not know, and
// acts that the format of the board lacks.
func (p *play) knownFormat() *Refusal {
	format := judgedBy(p)
	switch since := Since(p.move.Act); {
	case format > board.NewestFormat:
		return refuse(RuleFormat, "git liza --version", "the board has format %d, this program knows up to %d: install a newer git-liza", format, board.NewestFormat)
	case format == 0 && p.move.Act != board.ActInit:
		return refuse(RuleNotFound, "git liza init", "there is no blackboard")
	case since > max(format, 1):
		return refuse(RuleFormat, "git liza board migrate", "%s exists since format %d, the board has format %d", p.move.Act, since, format)
	}
	return nil
}

// upgradeBoard writes what the formats after one, up to another, add to the board.
func upgradeBoard(p *effect, after, to int) {
	for _, f := range between(after, to) {
		if f.upgrade != nil {
			f.upgrade(p)
		}
	}
}

// MigrateMove takes a board to a newer format. Moves before it stay judged by
// the format that they were made in.
type MigrateMove struct {
	To int `yaml:"to"`
}

func (m *MigrateMove) subject() string { return "board" }

func (m *MigrateMove) check(p *play) *Refusal {
	if now := p.board.Settings().Format; m.To <= now || m.To > board.NewestFormat {
		return refuse(RuleFormat, "git liza --version", "the board has format %d, this program cannot take it to %d", now, m.To)
	}
	return nil
}

// already lets the second of two clones that migrate at once find its work
// done.
func (m *MigrateMove) already(p *play) bool { return p.board.Settings().Format == m.To }

func (m *MigrateMove) apply(p *effect) {
	before := p.board.Settings().Format
	p.change(func(s *board.Settings) { s.Format = m.To })
	upgradeBoard(p, before, m.To)
}
