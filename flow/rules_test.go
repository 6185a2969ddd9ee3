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
)

// row is a row of the rules page: the states that an act leaves, those that it
// may enter, and the actors that make it.
type row struct {
	from, to []Status
	by       standing
}

var anyOpen = []Status{Draft, Unclaimed, ReadyForReview, Rejected, Approved, Blocked, IntegrationFailed}

// pageOfTasks is the page's table of acts on tasks, copied by hand.
var pageOfTasks = map[Act]row{
	ActEdit:            {[]Status{Draft, Unclaimed, Claimed, ReadyForReview, Rejected, Approved, Blocked, IntegrationFailed}, nil, planner | human},
	ActClaim:           {[]Status{Unclaimed, Rejected, IntegrationFailed, Claimed}, []Status{Claimed}, coder | human},
	ActRenew:           {[]Status{Claimed, ReadyForReview}, nil, supervisor | human},
	ActIntent:          {[]Status{Claimed}, nil, holder},
	ActSubmit:          {[]Status{Claimed}, []Status{ReadyForReview}, holder},
	ActReview:          {[]Status{ReadyForReview}, nil, reviewer | human},
	ActApprove:         {[]Status{ReadyForReview}, nil, reviewHolder | human}, // APPROVED with the last verdict
	ActReject:          {[]Status{ReadyForReview, Approved}, []Status{Rejected}, reviewHolder | human},
	ActMerge:           {[]Status{Approved}, []Status{Merged}, supervisor | human},
	ActIntegrationFail: {[]Status{Approved}, []Status{IntegrationFailed}, supervisor | human},
	ActBlock:           {[]Status{Claimed, Rejected, IntegrationFailed}, []Status{Blocked}, holder | supervisor | planner | human},
	ActUnblock:         {[]Status{Blocked}, nil, planner | human},
	ActSupersede:       {[]Status{Draft, Unclaimed, ReadyForReview, Rejected, Blocked, IntegrationFailed}, []Status{Superseded}, planner | human},
	ActAbandon:         {anyOpen, []Status{Abandoned}, planner | human},
	ActRelease:         {[]Status{Claimed, ReadyForReview}, nil, supervisor | human},
	ActSession:         {append([]Status{0}, Statuses()...), nil, supervisor | human},
	ActHandoff:         {[]Status{Claimed}, nil, holder},
	ActRecheck:         {[]Status{Approved}, []Status{ReadyForReview}, supervisor | human},
	ActDismiss:         {[]Status{Rejected}, nil, human},
}

// pageOfTheRest has the actors that make the acts that are not about one task.
var pageOfTheRest = map[standing][]Act{
	planner | human: {ActAdd, ActFinalize, ActAlign, ActConvert, ActDefer, ActSchedule},
	human: {ActAdopt, ActClassify, ActPause, ActResume, ActStop, ActDecide, ActGoal, ActAbort, ActReset, ActInit, ActConfig,
		ActMigrate, ActAmend, ActPrincipal, ActAccept, ActRole, ActRequire, ActReopen, ActDismissRecord,
		ActLift, ActMark, ActReload},
	supervisor | human: {ActCheckpoint, ActComplete, ActSprintStart, ActSprintClose, ActRetro, ActRegister, ActUnregister,
		ActDegrade, ActTrip, ActArchive, ActTake, ActLevel, ActOutage, ActPhase},
	planner | supervisor | human: {ActImport},
	anybody:                      {ActAnomaly, ActDiscover, ActNote, ActSpecChange, ActAnswer, ActAsk},
}

func TestRulesAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	for act, want := range pageOfTasks {
		var from states
		var by standing
		var to []Status
		for _, r := range rules {
			if r.act == act {
				from |= r.from
				by |= r.by
				if r.to != 0 && !slices.Contains(to, r.to) {
					to = append(to, r.to)
				}
			}
		}
		require.Equal(t, in(want.from...), from, "the states that %s leaves", act)
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
	var rest []Act
	for _, acts := range pageOfTheRest {
		rest = append(rest, acts...)
	}
	for _, act := range Acts() {
		_, onTasks := pageOfTasks[act]
		require.True(t, onTasks != slices.Contains(rest, act), "%s stands once on the page", act)
		require.NotNil(t, NewDetail(act), "%s has no row", act)
		require.NotNil(t, details[act], "scenarios cannot say %s", act)
	}
	require.Nil(t, NewDetail(0))
	for _, r := range rules {
		require.NotNil(t, r.open, "%s", r.act)
		require.False(t, r.from != anywhere && (r.from.has(Merged) || r.from.has(Superseded) || r.from.has(Abandoned)), "%s leaves a final state", r.act)
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
	for _, act := range Acts() {
		want := map[Act]Capacity{ActClaim: Does, ActReview: Judges}[act]
		require.Equal(t, want, act.Capacity(), act)
	}
}
