package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A reader is a function that reads a key: its body has the field of the configuration,
// the key or its end as a string, or a constant that is the key.
type reader struct{ file, function, has string }

// readers names one reader of each key.
var readers = map[string]reader{
	"lease":                       {"cmd/git-liza/internal/work/claim.go", "claim", "Config.Lease"},
	"review_lease":                {"cmd/git-liza/internal/work/review.go", "Review", "Config.ReviewLease"},
	"grace":                       {"flow/board/free.go", "ReclaimAt", "Config.Grace"},
	"limits.iterations":           {"flow/claim.go", "apply", "limits().Iterations"},
	"limits.review_cycles":        {"flow/reject.go", "apply", "limits().Cycles"},
	"limits.integration_failures": {"flow/merge.go", "apply", "limits().MergeFails"},
	"limits.no_verdicts":          {"flow/review.go", "apply", "limits().NoVerdicts"},
	"limits.failed_coders":        {"flow/board/task.go", "Exhausted", "limits.FailedCoders"},
	"limits.failures":             {"flow/board/task.go", "Exhausted", "limits.Failures"},
	"supersede_depth":             {"flow/rescope.go", "rescopable", "Config.SupersedeDepth"},
	"text_limit":                  {"flow/apply.go", "checkForm", "Config.TextLimit"},
	"blob_limit":                  {"flow/work.go", "content", "Config.BlobLimit"},
	"allow_self_review":           {"flow/review.go", "independent", "Config.AllowSelfReview"},
	"drift_alarm":                 {"cmd/git-liza/internal/work/merge.go", "alarm", "Config.DriftAlarm"},
	"tests":                       {"flow/work.go", "tests", "Config.Tests"},
	"never":                       {"flow/writable.go", "roleBoundsOf", "Config.Never"},
	"post_worktree":               {"cmd/git-liza/internal/supervise/worktree.go", "runPostWorktree", "Config.PostWorktree"},
	"gates.NAME.command":          {"cmd/git-liza/internal/work/commands.go", "runGate", "Command"},
	"gates.NAME.required":         {"cmd/git-liza/internal/work/commands.go", "passAll", "Required"},
	"gates.NAME.timeout":          {"cmd/git-liza/internal/work/commands.go", "runGate", "Timeout"},
	"gates.NAME.at":               {"flow/board/settings.go", "GatesAt", "Stage"},
	"gates.NAME.paths":            {"flow/stage.go", "checkPassed", "g.Paths"},
	"automation.required":         {"flow/class.go", "classRefusal", "Automation.Required"},
	"schedule.barrier":            {"flow/board/levels.go", "BarrierOf", "Config.Schedule.Barrier"},
	"retry.attempts":              {"flow/retry.go", "countRetry", "policy.Attempts"},
	"retry.strategy":              {"flow/board/retry.go", "Wait", "r.Strategy"},
	"retry.base":                  {"flow/board/retry.go", "Wait", "r.Base"},
	"retry.max":                   {"flow/board/retry.go", "Wait", "r.Max"},
	"pressure.rate":               {"flow/pressure.go", "countEnd", "Config.Pressure.Rate"},
	"budgets.task.tokens":         {"flow/budget.go", "pursesOf", "set.Task"},
	"budgets.task.cost":           {"flow/budget.go", "pursesOf", "set.Task"},
	"budgets.session.tokens":      {"cmd/git-liza/internal/supervise/watcher.go", "noteBudget", "Budgets.Session"},
	"budgets.session.cost":        {"cmd/git-liza/internal/supervise/watcher.go", "noteBudget", "Budgets.Session"},
	"budgets.sprint.tokens":       {"flow/budget.go", "sharedPurses", "set.Sprint"},
	"budgets.sprint.cost":         {"flow/budget.go", "sharedPurses", "set.Sprint"},
	"budgets.goal.tokens":         {"flow/budget.go", "sharedPurses", "set.Goal"},
	"budgets.goal.cost":           {"flow/budget.go", "sharedPurses", "set.Goal"},
	"checkpoint.every":            {"flow/steering.go", "checkpointCause", "Config.Checkpoint.Every"},
	"checkpoint.share":            {"flow/steering.go", "checkpointCause", "Config.Checkpoint.Share"},
	"goal.auto":                   {"flow/steering.go", "checkComplete", "Config.Goal.Auto"},
	"alarms.lease":                {"cmd/git-liza/internal/view/alarm_tasks.go", "addLeases", "limits.Lease"},
	"alarms.orphaned":             {"cmd/git-liza/internal/view/alarm_tasks.go", "addRejected", "limits.Orphaned"},
	"alarms.stalled":              {"cmd/git-liza/internal/view/alarm_board.go", "addStalled", "limits.Stalled"},
	"alarms.draft":                {"cmd/git-liza/internal/view/alarm_tasks.go", "addUnmoved", "limits.Draft"},
	"alarms.unstaffed":            {"cmd/git-liza/internal/view/alarm_board.go", "addUnstaffed", "limits.Unstaffed"},
	"alarms.checkpoint_stale":     {"cmd/git-liza/internal/view/alarm_board.go", "addControl", "limits.CheckpointStale"},
	"alarms.checkpoint_stuck":     {"cmd/git-liza/internal/view/alarm_board.go", "addControl", "limits.CheckpointStuck"},
	"alarms.checkpoint_abandoned": {"cmd/git-liza/internal/view/alarm_board.go", "addControl", "limits.CheckpointAbandoned"},
	"alarms.pause_stale":          {"cmd/git-liza/internal/view/alarm_board.go", "addControl", "limits.PauseStale"},
	"alarms.pause_forgotten":      {"cmd/git-liza/internal/view/alarm_board.go", "addControl", "limits.PauseForgotten"},
	"alarms.approaching":          {"cmd/git-liza/internal/view/alarm_tasks.go", "addLimits", "limits.Approaching"},
	"alarms.approvals":            {"cmd/git-liza/internal/view/alarm_board.go", "addRubberStamps", "limits.Approvals"},
	"alarms.off":                  {"cmd/git-liza/internal/view/alarm.go", "add", "limits.Off"},
	"liza.notify":                 {"cmd/git-liza/alarms.go", "readNotify", "liza.notify"},
	"liza.notify.every":           {"cmd/git-liza/alarms.go", "readNotify", "liza.notify.every"},

	"liza.provider":                  {"cmd/git-liza/choice.go", "forRole", "liza.provider"},
	"liza.ROLE.provider":             {"cmd/git-liza/choice.go", "forRole", ".provider"},
	"liza.ROLE.model":                {"cmd/git-liza/choice.go", "forRole", ".model"},
	"liza.provider.NAME.KEY":         {"cmd/git-liza/choice.go", "catalogue", "Prefix"},
	"liza.script.playbook":           {"cmd/git-liza/internal/agent/playbook/agent.go", "playbook", "ConfigKey"},
	"liza.idle":                      {"cmd/git-liza/supervisors.go", "readLimits", "liza.idle"},
	"liza.wall":                      {"cmd/git-liza/supervisors.go", "readLimits", "liza.wall"},
	"liza.backoff":                   {"cmd/git-liza/supervisors.go", "readLimits", "liza.backoff"},
	"liza.await":                     {"cmd/git-liza/supervisors.go", "readLimits", "liza.await"},
	"liza.learnt":                    {"cmd/git-liza/supervisors.go", "readLearnt", "liza.learnt"},
	"liza.context.handoff":           {"cmd/git-liza/supervisors.go", "readContext", "liza.context.handoff"},
	"liza.env":                       {"cmd/git-liza/internal/work/machine.go", "ReadMachine", "variablesKey"},
	"liza.ports":                     {"cmd/git-liza/internal/work/machine.go", "ReadMachine", "portsKey"},
	"liza.worktrees":                 {"worktrees/place.go", "findPlace", "layout.WorktreesKey"},
	"liza.launcher":                  {"cmd/git-liza/launcher.go", "readLauncher", "liza.launcher"},
	"liza.launcher.ROLE":             {"cmd/git-liza/launcher.go", "readLauncher", "liza.launcher."},
	"liza.container.engine":          {"cmd/git-liza/launcher.go", "readLauncher", "liza.container.engine"},
	"liza.container.image":           {"cmd/git-liza/launcher.go", "readLauncher", "liza.container.image"},
	"liza.container.user":            {"cmd/git-liza/launcher.go", "readLauncher", "liza.container.user"},
	"liza.container.memory":          {"cmd/git-liza/launcher.go", "readLauncher", "liza.container.memory"},
	"liza.container.processes":       {"cmd/git-liza/launcher.go", "readLauncher", "liza.container.processes"},
	"liza.confine":                   {"cmd/git-liza/internal/proc/confine/confine.go", "ReadSettings", "modeKey"},
	"liza.confine.read":              {"cmd/git-liza/internal/proc/confine/confine.go", "ReadSettings", "readKey"},
	"liza.confine.write":             {"cmd/git-liza/internal/proc/confine/confine.go", "ReadSettings", "writeKey"},
	"liza.confine.sockets":           {"cmd/git-liza/internal/proc/confine/confine.go", "ReadSettings", "socketsKey"},
	"liza.confine.net":               {"cmd/git-liza/internal/proc/confine/confine.go", "ReadSettings", "netKey"},
	"liza.task.sessions":             {"cmd/git-liza/supervisors.go", "readBounds", "liza.task.sessions"},
	"liza.task.minutes":              {"cmd/git-liza/supervisors.go", "readBounds", "liza.task.minutes"},
	"liza.rush.sessions":             {"cmd/git-liza/supervisors.go", "readBounds", "liza.rush.sessions"},
	"liza.rush.minutes":              {"cmd/git-liza/supervisors.go", "readBounds", "liza.rush.minutes"},
	"liza.breaker":                   {"cmd/git-liza/supervisors.go", "readBreaker", "liza.breaker"},
	"liza.trust.allow":               {"cmd/git-liza/internal/work/trust.go", "Allowed", "TrustKey"},
	"liza.trust.planner":             {"cmd/git-liza/internal/work/trust.go", "AllowOwn", "TrustPlanner"},
	"liza.remote":                    {"gitstore/history.go", "Authority", "remoteKey"},
	"liza.remoteTimeout":             {"gitstore/remotes.go", "Timeout", "liza.remoteTimeout"},
	"liza.pr.remote":                 {"cmd/git-liza/internal/work/pr_push.go", "openRequest", "liza.pr.remote"},
	"liza.fsync":                     {"gitstore/git/objects.go", "FsyncMode", "liza.fsync"},
	"liza.principal":                 {"cmd/git-liza/invocation.go", "reader", "liza.principal"},
	"liza.person":                    {"cmd/git-liza/actor.go", "person", "PersonKey"},
	"liza.agent.ID.principal":        {"cmd/git-liza/internal/work/principals.go", "PrincipalOf", "liza.agent."},
	"liza.principal.NAME.key":        {"gitstore/keys.go", "keyFile", ".key"},
	"liza.server.userEnv":            {"hooks/settings.go", "ReadPush", "userEnv"},
	"liza.server.requireSignedMoves": {"hooks/settings.go", "ReadPush", "requireSignedMoves"},
	"liza.server.admin":              {"hooks/settings.go", "ReadPush", "admin"},
	"liza.server.adminKey":           {"hooks/settings.go", "ReadPush", "adminKey"},
	"liza.server.memory":             {"hooks/memory.go", "Memory", "liza.server.memory"},
}

// Every key has a reader, and every reader reads: a key that nothing reads is a defect.
func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	for _, k := range Keys() {
		r, ok := readers[k.Name]
		require.True(t, ok, "%s has no reader", k.Name)
		require.True(t, r.reads(t), "%s: %s of %s does not have %s", k.Name, r.function, r.file, r.has)
	}
	require.Len(t, readers, len(Keys()), "a reader of a key that does not exist")
}

// reads reports whether a function of that name has the text of a string, or reads the
// field or constant.
func (r reader) reads(t *testing.T) (found bool) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "..", "..", filepath.FromSlash(r.file)), nil, 0)
	require.NoError(t, err)
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != r.function {
			continue
		}
		written := map[ast.Node]bool{}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					written[left] = true
				}
			case *ast.SelectorExpr:
				found = found || !written[n] && strings.HasSuffix("."+types.ExprString(n), "."+r.has)
			case *ast.Ident:
				found = found || n.Name == r.has
			case *ast.BasicLit:
				text, _ := strconv.Unquote(n.Value)
				found = found || n.Kind == token.STRING && text == r.has
			}
			return true
		})
	}
	return found
}
