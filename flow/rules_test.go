package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// row is a row of the rules page: the states that an act leaves, those that it
// may enter, and the actors that make it.
type row struct {
	from, to []board.Status
	by       standing
}

var anyOpen = []board.Status{board.Draft, board.Unclaimed, board.ReadyForReview, board.Rejected, board.Approved, board.Blocked, board.IntegrationFailed}

// pageOfTasks is the page's table of acts on tasks, copied by hand.
var pageOfTasks = map[board.Act]row{
	board.ActEdit:            {[]board.Status{board.Draft, board.Unclaimed, board.Claimed, board.ReadyForReview, board.Rejected, board.Approved, board.Blocked, board.IntegrationFailed}, nil, planner | human},
	board.ActClaim:           {[]board.Status{board.Unclaimed, board.Rejected, board.IntegrationFailed, board.Claimed}, []board.Status{board.Claimed}, coder | human},
	board.ActRenew:           {[]board.Status{board.Claimed, board.ReadyForReview}, nil, supervisor | human},
	board.ActIntent:          {[]board.Status{board.Claimed}, nil, holder},
	board.ActSubmit:          {[]board.Status{board.Claimed}, []board.Status{board.ReadyForReview}, holder},
	board.ActReview:          {[]board.Status{board.ReadyForReview}, nil, reviewer | human},
	board.ActApprove:         {[]board.Status{board.ReadyForReview}, nil, reviewHolder | human}, // APPROVED with the last verdict
	board.ActReject:          {[]board.Status{board.ReadyForReview, board.Approved}, []board.Status{board.Rejected}, reviewHolder | human},
	board.ActMerge:           {[]board.Status{board.Approved}, []board.Status{board.Merged}, supervisor | human},
	board.ActIntegrationFail: {[]board.Status{board.Approved}, []board.Status{board.IntegrationFailed}, supervisor | human},
	board.ActBlock:           {[]board.Status{board.Claimed, board.Rejected, board.IntegrationFailed}, []board.Status{board.Blocked}, holder | supervisor | planner | human},
	board.ActUnblock:         {[]board.Status{board.Blocked}, nil, planner | human},
	board.ActSupersede:       {[]board.Status{board.Draft, board.Unclaimed, board.ReadyForReview, board.Rejected, board.Blocked, board.IntegrationFailed}, []board.Status{board.Superseded}, planner | human},
	board.ActAbandon:         {anyOpen, []board.Status{board.Abandoned}, planner | human},
	board.ActRelease:         {[]board.Status{board.Claimed, board.ReadyForReview}, nil, supervisor | human},
	board.ActSession:         {append([]board.Status{0}, board.Statuses()...), nil, supervisor | human},
	board.ActHandoff:         {[]board.Status{board.Claimed}, nil, holder},
	board.ActRecheck:         {[]board.Status{board.Approved}, []board.Status{board.ReadyForReview}, supervisor | human},
	board.ActDismiss:         {[]board.Status{board.Rejected}, nil, human},
}

// pageOfTheRest has the actors that make the acts that are not about one task.
var pageOfTheRest = map[standing][]board.Act{
	planner | human: {board.ActAdd, board.ActFinalize, board.ActAlign, board.ActConvert, board.ActDefer, board.ActSchedule},
	human: {board.ActAdopt, board.ActClassify, board.ActPause, board.ActResume, board.ActStop, board.ActDecide, board.ActGoal, board.ActAbort, board.ActReset, board.ActInit, board.ActConfig,
		board.ActMigrate, board.ActAmend, board.ActPrincipal, board.ActAccept, board.ActRole, board.ActRequire, board.ActReopen, board.ActDismissRecord,
		board.ActLift, board.ActMark, board.ActReload},
	supervisor | human: {board.ActCheckpoint, board.ActComplete, board.ActSprintStart, board.ActSprintClose, board.ActRetro, board.ActRegister, board.ActUnregister,
		board.ActDegrade, board.ActTrip, board.ActArchive, board.ActTake, board.ActLevel, board.ActOutage, board.ActPhase},
	planner | supervisor | human: {board.ActImport},
	anybody:                      {board.ActAnomaly, board.ActDiscover, board.ActNote, board.ActSpecChange, board.ActAnswer, board.ActAsk},
}

func TestRulesAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	for act, want := range pageOfTasks {
		var from board.StateSet
		var by standing
		var to []board.Status
		for _, r := range rules {
			if r.act == act {
				from |= r.from
				by |= r.by
				if r.to != 0 && !slices.Contains(to, r.to) {
					to = append(to, r.to)
				}
			}
		}
		require.Equal(t, board.AnyOf(want.from...), from, "the states that %s leaves", act)
		require.Equal(t, want.to, to, "the states that %s enters", act)
		require.Equal(t, want.by, by, "who makes %s: %s", act, by)
	}
	for by, acts := range pageOfTheRest {
		for _, act := range acts {
			i := slices.IndexFunc(rules, func(r rule) bool { return r.act == act })
			require.GreaterOrEqual(t, i, 0, "%s has no row", act)
			require.Zero(t, rules[i].from, "%s is not about one task", act)
			require.Equal(t, by, rules[i].by, "who makes %s: %s", act, rules[i].by)
		}
	}
}

func TestEveryActHasARow(t *testing.T) {
	t.Parallel()
	var rest []board.Act
	for _, acts := range pageOfTheRest {
		rest = append(rest, acts...)
	}
	for _, act := range board.Acts() {
		_, onTasks := pageOfTasks[act]
		require.True(t, onTasks != slices.Contains(rest, act), "%s stands once on the page", act)
		require.NotNil(t, NewDetail(act), "%s has no row", act)
		require.NotNil(t, details[act], "scenarios cannot say %s", act)
	}
	require.Nil(t, NewDetail(0))
	for _, r := range rules {
		require.NotNil(t, r.open, "%s", r.act)
		require.False(t, r.from != anywhere && (r.from.Has(board.Merged) || r.from.Has(board.Superseded) || r.from.Has(board.Abandoned)), "%s leaves a final state", r.act)
	}
}

// behavioursOf is what a detail implements.
func behavioursOf(d Detail) (set behaviours) {
	if _, ok := d.(asker); ok {
		set |= asks
	}
	if _, ok := d.(filler); ok {
		set |= fills
	}
	if _, ok := d.(refMover); ok {
		set |= movesRefs
	}
	if _, ok := d.(repeater); ok {
		set |= repeats
	}
	if _, ok := d.(admitter); ok {
		set |= admits
	}
	if _, ok := d.(titled); ok {
		set |= titles
	}
	return set
}

// TestDetailsDoWhatTheTableSays: a method of an optional interface whose name or
// signature is misspelt would go unnoticed otherwise.
func TestDetailsDoWhatTheTableSays(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		require.Equal(t, r.also, behavioursOf(r.detail()), "the optional behaviour of %s (bits of behaviours)", r.act)
	}
}

// TestHints reads every refusal in the package: its hint begins with a command
// to type, also where no scenario comes by.
func TestHints(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	seen := 0
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, entry.Name(), nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && calls(call, "refuse") {
					seen++
					for _, begin := range beginnings(fn, call.Args[1]) {
						require.Regexp(t, `^git [a-z]`, begin, "%s: %q is no command", fset.Position(call.Pos()), begin)
					}
					for _, word := range literalsIn(call.Args[1]) {
						require.NotContains(t, word, "|", "%s: a shell pipes what %q separates", fset.Position(call.Pos()), word)
					}
				}
				return true
			})
		}
	}
	require.Greater(t, seen, 100)
}

// literalsIn are the literals in a hint.
func literalsIn(hint ast.Expr) []string {
	var list []string
	ast.Inspect(hint, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			list = append(list, lit.Value)
		}
		return true
	})
	return list
}

func calls(call *ast.CallExpr, name string) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == name
}

// beginnings are what a hint may begin with: a literal, or what a local
// variable of that name is given. A parameter is judged where it is passed.
func beginnings(fn *ast.FuncDecl, hint ast.Expr) []string {
	switch e := hint.(type) {
	case *ast.BinaryExpr:
		return beginnings(fn, e.X)
	case *ast.BasicLit:
		return []string{strings.Trim(e.Value, `"`)}
	case *ast.Ident:
		var list []string
		ast.Inspect(fn, func(n ast.Node) bool {
			if set, ok := n.(*ast.AssignStmt); ok && set.Tok == token.DEFINE {
				if id, ok := set.Lhs[0].(*ast.Ident); ok && id.Name == e.Name {
					list = append(list, beginnings(fn, set.Rhs[0])...)
				}
			}
			return true
		})
		return list
	}
	return nil
}

// TestActCapacity: two acts begin work on a task.
func TestActCapacity(t *testing.T) {
	t.Parallel()
	for _, act := range board.Acts() {
		want := map[board.Act]board.Capacity{board.ActClaim: board.Does, board.ActReview: board.Judges}[act]
		require.Equal(t, want, CapacityOf(act), act)
	}
}
