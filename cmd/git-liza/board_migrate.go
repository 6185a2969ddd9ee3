package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type migrateCommand struct {
	Yes    bool `help:"Migrate; without it, only show what changes."`
	Anyway bool `help:"Also while agents of older programs work."`
}

// Run shows what a newer format changes, and takes the board to it. Programs that
// do not know that format can do nothing with the board from then on.
func (c *migrateCommand) Run(inv *invocation, l look) error {
	format := l.reading.Board.Settings().Format
	data := map[string]any{"format": format, "to": board.NewestFormat, "changes": append([]string{}, flow.FormatChanges(format, board.NewestFormat)...)}
	if format == board.NewestFormat {
		return inv.answer("already", data, fmt.Sprintf("the board has format %d, the newest that this program knows", format))
	}
	if err := l.findAgents(inv); err != nil {
		return err
	}
	old := l.reading.OlderPrograms(board.NewestFormat)
	if !c.Yes {
		return inv.answer("", data, migrationText(format, old))
	}
	if len(old) > 0 && !c.Anyway {
		return olderPrograms(old, l.reading.Board.Settings().Control.State)
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActMigrate, "", &flow.MigrateMove{To: board.NewestFormat})
	if err != nil {
		return err
	}
	return inv.result(r, data, "the board has format %d", board.NewestFormat)
}

// olderPrograms refuses to migrate under agents of older programs. On a board that is
// stopped there is nothing more to end: only a person knows whether they still run.
func olderPrograms(old []board.AgentID, state board.Control) *flow.Refusal {
	refusal := &flow.Refusal{Rule: flow.RuleFormat, Hint: "git liza stop",
		Reason: fmt.Sprintf("%s may run a program that does not know format %d, and could do nothing any more", view.JoinIDs(old), board.NewestFormat)}
	if state.IsStopped() {
		refusal.Reason += "; the board is stopped: migrate if no such program runs any more"
		refusal.Hint = "git liza board migrate --yes --anyway"
	}
	return refusal
}

// migrationText is what a person reads before a board is taken to a newer format: what
// it changes, and which agents may run older programs.
func migrationText(from int, old []board.AgentID) string {
	var text strings.Builder
	fmt.Fprintf(&text, "the board has format %d; format %d changes:\n", from, board.NewestFormat)
	for _, line := range flow.FormatChanges(from, board.NewestFormat) {
		text.WriteString("  " + line + "\n")
	}
	text.WriteString("programs that do not know this format can do nothing with the board afterwards, and there is no way back\n")
	if len(old) > 0 {
		text.WriteString("may run such a program: " + view.JoinIDs(old) + "\n")
	}
	return text.String() + "to migrate: git liza board migrate --yes"
}
