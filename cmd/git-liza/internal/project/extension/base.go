package extension

import (
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/roles"
	"github.com/git-liza/git-liza/flow/board"
)

// A Base is what extensions lie over. The zero one is that of boards that begin now.
type Base struct {
	Format int             // of the board, 0 for the latest
	Roles  []board.RoleRow // beside those of the extension and the built-in ones
}

// BaseOf is what a board gives extensions to lie over, for nil the zero Base.
func BaseOf(b *board.Board) (base Base) {
	if b == nil {
		return base
	}
	for _, row := range b.Roles() {
		base.Roles = append(base.Roles, *row)
	}
	base.Format = b.Settings().Format
	return base
}

// with is the base with the roles of more extensions.
func (b Base) with(more []board.RoleRow) Base {
	return Base{b.Format, slices.Concat(b.Roles, more)}
}

// known are the roles that there are for it: the built-in ones, those of its base, and its own.
func (e *Extension) known() []board.RoleRow {
	return slices.Concat(roles.Builtin(), e.base.Roles, e.roles)
}
