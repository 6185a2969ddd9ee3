package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/roles"
	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

// A PromptInput says for whom and for what a prompt is made.
type PromptInput struct {
	Role     flow.Role
	Agent    flow.AgentID  // "" if the agent is not known yet
	Task     flow.TaskID   // "" for a planner
	Question flow.RecordID // that is to be answered, "" for other work
	At       time.Time     // when it begins; a note that has expired by then is not repeated
	Goal     flow.GoalID   // that a planner plans for; "" is that of the triggers, else the current one
	Worktree string
	Failure  string // how the last session on it failed
	Report   string // who commits and reports, see templates.Input
	// Compliance is how well the provider keeps contracts, see templates.Input.
	Compliance string
	Advice     string         // on the provider's program
	Loads      []string       // what the provider's program loads by itself, see provider.Row
	Await      time.Duration  // see templates.Input
	Confined   bool           // see templates.Input
	Reviewed   flow.ObjectID  // what integration had when the role reviewed the task the last time, see LastReview
	Triggers   []flow.Trigger // why a planner is woken; nil means all that the board has
	Learnt     int            // how many bytes of what was learnt it is told at most; 0 is nothing
	Rejections []string       // of other work in the same paths, see EarlierRejections
	Environ    []string       // of the user, whose own prompts lie over those of the project
}

// maxNotes is how many notes a prompt repeats, the latest ones.
const maxNotes = 20

// Prompt returns the prompt that an agent is started with. What the project has to say comes
// from the commit that the board's integration branch is at: roles, prompts, extensions and
// specs in a work tree may have been written by a session.
func Prompt(ctx context.Context, repo *git.Repo, b *flow.Board, a PromptInput) (templates.Prompt, error) {
	row := b.Role(a.Role)
	if row == nil {
		return templates.Prompt{}, cmp.Or(b.Err(), fmt.Errorf("the board has no role %s", a.Role))
	}
	settings := b.Settings()
	files, err := git.FilesAt(ctx, repo, settings.Integration.Tip, extension.MaxFile)
	if err != nil {
		return templates.Prompt{}, err
	}
	persona, err := roles.Persona(row, files)
	if err != nil {
		return templates.Prompt{}, err
	}
	in := templates.Input{Role: a.Role, Row: row, Roles: roleNames(b), Kernel: contracts.ForRole(persona), Goal: b.Goal(settings.Goal), Agent: a.Agent, Worktree: a.Worktree,
		Task: b.Task(a.Task), Limits: settings.Config.Limits, Notes: notesFor(b, a), Failure: a.Failure, Report: a.Report,
		Compliance: a.Compliance, Advice: a.Advice, Confined: a.Confined, Await: flow.Duration(a.Await)}
	if goal := b.Goal(a.goal(b)); goal != nil {
		in.Goal = goal
	}
	in.Gates = lists.Of(settings.Config.Gates, func(g flow.Gate) string { return g.Name + ": " + g.Command })
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		if _, err := fs.Stat(files, name); err == nil {
			in.Conventions = append(in.Conventions, string(settings.Integration.Tip)+":"+name)
		}
	}
	if in.Asked = questionOn(b, a.Question); in.Asked != nil {
		in.Chain = askedFor(b, in.Asked)
	}
	kind := flow.Kind(0)
	if in.Task != nil {
		kind = in.Task.Kind
	}
	in.Denied = b.Denied(a.Role, kind)
	if in.Task != nil && row.Has(flow.ToolWrite) {
		in.Denied = append(in.Denied, flow.TaskDenials(b, in.Task)...)
	}
	if row.Capacity == flow.Plans && in.Asked == nil {
		readBoard(b, a.Triggers, &in)
	}
	in.Questions = questionsFor(b, in)
	in.Anomalies = anomaliesFor(b, in)
	if row.Capacity == flow.Does {
		in.Stories, in.Phase, in.Needed = storiesFor(b, in.Task), phaseFor(b, in.Task), neededFor(b, in.Task)
	}
	if err := b.Err(); err != nil {
		return templates.Prompt{}, err
	}
	if row.Capacity == flow.Judges && in.Task != nil && in.Task.Submission != nil {
		if err := readJudged(ctx, repo, b, a.Loads, &in); err != nil {
			return templates.Prompt{}, err
		}
	}
	if in.Specs, in.Context, err = readSpecs(ctx, repo, settings.Integration.Tip, specBases{mergedBase(ctx, repo, settings.Integration.Tip, row.Capacity, in.Task), a.Reviewed}, &in); err != nil {
		return templates.Prompt{}, err
	}
	if err := learnt(ctx, repo, settings.Integration.Tip, a, &in); err != nil {
		return templates.Prompt{}, err
	}
	return templates.Render(in, layers(b, files, a.Environ)...)
}

// readBoard puts what a planner of a goal looks at into a prompt. With nil for triggers it is
// woken by all that the board has for the goal.
func readBoard(b *flow.Board, triggers []flow.Trigger, in *templates.Input) {
	foreign := otherGoals(b, in.Goal)
	in.Board = slices.DeleteFunc(b.Tasks(), func(t flow.Summary) bool { return foreign[t.Goal] })
	in.Discoveries = slices.DeleteFunc(openDiscoveries(b), func(d *flow.Discovery) bool { return foreign[flow.GoalOfRecord(b, d.ID)] })
	in.Held = flow.HeldTasks(b, in.Goal.ID)
	if in.Triggers = triggers; in.Triggers == nil {
		in.Triggers = b.Triggers(in.Goal.ID)
	}
	for _, t := range in.Triggers {
		if about := b.Task(t.Task); about != nil && !slices.Contains(in.About, about) {
			in.About = append(in.About, about)
		}
	}
}

// goal returns the goal that the agent works for, "" for the current one.
func (a PromptInput) goal(b *flow.Board) flow.GoalID {
	if t := b.Task(a.Task); t != nil {
		return t.Goal
	}
	if a.Goal == "" && len(a.Triggers) > 0 {
		return a.Triggers[0].Goal
	}
	return a.Goal
}

// otherGoals returns the goals in progress beside one: a planner of one goal is not told
// of their tasks.
func otherGoals(b *flow.Board, one *flow.Goal) map[flow.GoalID]bool {
	others := map[flow.GoalID]bool{}
	for _, g := range flow.All[*flow.Goal](b, flow.Goals) {
		if g.ID != one.ID && g.Status.IsInProgress() {
			others[g.ID] = true
		}
	}
	return others
}

// askedFor returns the questions for whose answer another one was asked, the first one
// first.
func askedFor(b *flow.Board, q *flow.Question) (chain []*flow.Question) {
	for up := questionOn(b, q.Parent); up != nil && len(chain) < flow.MaxList; up = questionOn(b, up.Parent) {
		chain = append([]*flow.Question{up}, chain...)
	}
	return chain
}

func roleNames(b *flow.Board) []flow.Role {
	return lists.Of(b.Roles(), func(row *flow.RoleRow) flow.Role { return row.Name })
}

// baseOf returns the commit that a coder's attempt or a reviewed submission is based on,
// "" if there is none.
func baseOf(capacity flow.Capacity, t *flow.Task) flow.ObjectID {
	switch {
	case t == nil:
	case capacity == flow.Judges && t.Submission != nil:
		return t.Submission.Base
	case capacity == flow.Does && t.Attempt != nil:
		return t.Attempt.Base
	}
	return ""
}

// mergedBase is baseOf, or what a coder has since merged of integration into its branch:
// of changes in that it knows.
func mergedBase(ctx context.Context, repo *git.Repo, tip flow.ObjectID, capacity flow.Capacity, t *flow.Task) flow.ObjectID {
	base := baseOf(capacity, t)
	if base == "" || base == tip || capacity != flow.Does {
		return base
	}
	head, err := repo.Refs.Resolve(ctx, "refs/heads/"+t.ID.Branch())
	if err != nil || head == "" || head == base {
		return base
	}
	out, err := repo.Git(ctx, "merge-base", string(tip), string(head))
	merged := flow.ObjectID(strings.TrimSpace(string(out)))
	if err != nil || merged == base {
		return base
	}
	if _, err := repo.Git(ctx, "merge-base", "--is-ancestor", string(base), string(merged)); err != nil {
		return base // the branch went another way
	}
	return merged
}

// notesFor returns the notes for everybody, the role, the agent and the task.
func notesFor(b *flow.Board, a PromptInput) []*flow.Note {
	toWhom := []string{"all", a.Role.String(), string(a.Agent), string(a.Task)}
	list := lists.Where(flow.All[*flow.Note](b, flow.Notes), func(n *flow.Note) bool {
		return slices.Contains(toWhom, n.For) && flow.NoteIsCurrent(b, n, a.At)
	})
	slices.SortStableFunc(list, func(x, y *flow.Note) int { return x.At.Compare(y.At) })
	return list[max(0, len(list)-maxNotes):]
}

// questionsFor returns the questions about the task, or about the tasks that a
// planner was woken for. Only planners are shown those without an answer.
func questionsFor(b *flow.Board, in templates.Input) []*flow.Question {
	about := lists.Of(in.About, func(t *flow.Task) flow.TaskID { return t.ID })
	if in.Task != nil {
		about = append(about, in.Task.ID)
	}
	return slices.DeleteFunc(flow.QuestionsAbout(b, about...), func(q *flow.Question) bool {
		return q.Answer == "" && (in.Asked != nil || in.Capacity() != flow.Plans || !q.IsOpen())
	})
}

func openDiscoveries(b *flow.Board) []*flow.Discovery {
	return lists.Where(flow.All[*flow.Discovery](b, flow.Discovered), func(d *flow.Discovery) bool { return d.IsOpen(b.At()) })
}

// promptsFolder has the prompts of a project.
const promptsFolder = ".liza/prompts"

// layers returns what a project and a user lay over the built-in prompts, the weakest first:
// the prompts of extensions and .liza/prompts among the project's files, then liza/prompts in
// the user's configuration folder.
func layers(b *flow.Board, files fs.FS, environ []string) []templates.Layer {
	own, _ := fs.Sub(files, promptsFolder) // the name is a constant
	list := append(extensionLayers(b, files), templates.Layer{Name: "project", FS: own})
	dir := UserPrompts(environ)
	switch _, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // HOME may be /dev/null
	case err != nil: // it names the folder
		list = append(list, templates.Layer{Name: "user", FS: failing{err}})
	default:
		list = append(list, templates.Layer{Name: "user", FS: os.DirFS(dir)})
	}
	return list
}

// UserPrompts is the folder of the prompts of a user, liza/prompts in the configuration
// folder; "" if the environment names none.
func UserPrompts(environ []string) string {
	home, config := proc.Value(environ, "HOME"), proc.Value(environ, "XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config == "" {
		return ""
	}
	return filepath.Join(config, "liza", "prompts")
}

// extensionLayers are the prompts of the extensions of a project. One with which something
// is wrong is a layer that says so.
func extensionLayers(b *flow.Board, files fs.FS) (list []templates.Layer) {
	installed, err := extension.List(files, extension.BaseOf(b))
	if err != nil {
		return []templates.Layer{{Name: "extensions", FS: failing{err}}}
	}
	for _, e := range installed {
		layer := e.Layer(e.FS)
		if layer.FS == nil {
			continue
		}
		if wrong := e.Wrong; len(wrong) > 0 {
			layer.FS = failing{fmt.Errorf("%s/%s: %s; git liza check", e.Path, wrong[0].Path, wrong[0].Faults[0].Text)}
		}
		list = append(list, layer)
	}
	return list
}

// failing is a folder that cannot be read.
type failing struct{ why error }

// Open returns the cause.
func (f failing) Open(string) (fs.File, error) { return nil, f.why }
