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
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

// A PromptInput says for whom and for what a prompt is made.
type PromptInput struct {
	Role     board.Role
	Agent    board.AgentID  // "" if the agent is not known yet
	Task     board.TaskID   // "" for a planner
	Question board.RecordID // that is to be answered, "" for other work
	At       time.Time      // when it begins; a note that has expired by then is not repeated
	Goal     board.GoalID   // that a planner plans for; "" is that of the triggers, else the current one
	Worktree string
	Failure  string // how the last session on it failed
	Report   string // who commits and reports, see templates.Input
	// Compliance is how well the provider keeps contracts, see templates.Input.
	Compliance string
	Advice     string         // on the provider's program
	Loads      []string       // what the provider's program loads by itself, see provider.Row
	Await      time.Duration  // see templates.Input
	Confined   bool           // see templates.Input
	Reviewed   board.ObjectID // what integration had when the role reviewed the task the last time, see LastReview
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
func Prompt(ctx context.Context, repo *git.Repo, b *board.Board, a PromptInput) (templates.Prompt, error) {
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
		Compliance: a.Compliance, Advice: a.Advice, Confined: a.Confined, Await: board.Duration(a.Await)}
	if goal := b.Goal(a.goal(b)); goal != nil {
		in.Goal = goal
	}
	in.Gates = lists.Of(settings.Config.Gates, func(g board.Gate) string { return g.Name + ": " + g.Command })
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		if _, err := fs.Stat(files, name); err == nil {
			in.Conventions = append(in.Conventions, string(settings.Integration.Tip)+":"+name)
		}
	}
	if in.Asked = questionOn(b, a.Question); in.Asked != nil {
		in.Chain = askedFor(b, in.Asked)
	}
	kind := board.Kind(0)
	if in.Task != nil {
		kind = in.Task.Kind
	}
	in.Denied = b.Denied(a.Role, kind)
	if in.Task != nil && row.Has(board.ToolWrite) {
		in.Denied = append(in.Denied, board.TaskDenials(b, in.Task)...)
	}
	if row.Capacity == board.Plans && in.Asked == nil {
		readBoard(b, a.Triggers, &in)
	}
	in.Questions = questionsFor(b, in)
	in.Anomalies = anomaliesFor(b, in)
	if row.Capacity == board.Does {
		in.Stories, in.Phase, in.Needed = storiesFor(b, in.Task), phaseFor(b, in.Task), neededFor(b, in.Task)
	}
	if err := b.Err(); err != nil {
		return templates.Prompt{}, err
	}
	if row.Capacity == board.Judges && in.Task != nil && in.Task.Submission != nil {
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
func readBoard(b *board.Board, triggers []flow.Trigger, in *templates.Input) {
	foreign := otherGoals(b, in.Goal)
	in.Board = slices.DeleteFunc(b.Tasks(), func(t board.Summary) bool { return foreign[t.Goal] })
	in.Discoveries = slices.DeleteFunc(openDiscoveries(b), func(d *board.Discovery) bool { return foreign[board.GoalOfRecord(b, d.ID)] })
	in.Held = board.HeldTasks(b, in.Goal.ID)
	if in.Triggers = triggers; in.Triggers == nil {
		in.Triggers = flow.Triggers(b, in.Goal.ID)
	}
	for _, t := range in.Triggers {
		if about := b.Task(t.Task); about != nil && !slices.Contains(in.About, about) {
			in.About = append(in.About, about)
		}
	}
}

// goal returns the goal that the agent works for, "" for the current one.
func (a PromptInput) goal(b *board.Board) board.GoalID {
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
func otherGoals(b *board.Board, one *board.Goal) map[board.GoalID]bool {
	others := map[board.GoalID]bool{}
	for _, g := range board.All[*board.Goal](b, board.Goals) {
		if g.ID != one.ID && g.Status.IsInProgress() {
			others[g.ID] = true
		}
	}
	return others
}

// askedFor returns the questions for whose answer another one was asked, the first one
// first.
func askedFor(b *board.Board, q *board.Question) (chain []*board.Question) {
	for up := questionOn(b, q.Parent); up != nil && len(chain) < board.MaxList; up = questionOn(b, up.Parent) {
		chain = append([]*board.Question{up}, chain...)
	}
	return chain
}

func roleNames(b *board.Board) []board.Role {
	return lists.Of(b.Roles(), func(row *board.RoleRow) board.Role { return row.Name })
}

// baseOf returns the commit that a coder's attempt or a reviewed submission is based on,
// "" if there is none.
func baseOf(capacity board.Capacity, t *board.Task) board.ObjectID {
	switch {
	case t == nil:
	case capacity == board.Judges && t.Submission != nil:
		return t.Submission.Base
	case capacity == board.Does && t.Attempt != nil:
		return t.Attempt.Base
	}
	return ""
}

// mergedBase is baseOf, or what a coder has since merged of integration into its branch:
// of changes in that it knows.
func mergedBase(ctx context.Context, repo *git.Repo, tip board.ObjectID, capacity board.Capacity, t *board.Task) board.ObjectID {
	base := baseOf(capacity, t)
	if base == "" || base == tip || capacity != board.Does {
		return base
	}
	head, err := repo.Refs.Resolve(ctx, "refs/heads/"+t.ID.Branch())
	if err != nil || head == "" || head == base {
		return base
	}
	out, err := repo.Git(ctx, "merge-base", string(tip), string(head))
	merged := board.ObjectID(strings.TrimSpace(string(out)))
	if err != nil || merged == base {
		return base
	}
	if _, err := repo.Git(ctx, "merge-base", "--is-ancestor", string(base), string(merged)); err != nil {
		return base // the branch went another way
	}
	return merged
}

// notesFor returns the notes for everybody, the role, the agent and the task.
func notesFor(b *board.Board, a PromptInput) []*board.Note {
	toWhom := []string{"all", a.Role.String(), string(a.Agent), string(a.Task)}
	list := lists.Where(board.All[*board.Note](b, board.Notes), func(n *board.Note) bool {
		return slices.Contains(toWhom, n.For) && board.NoteIsCurrent(b, n, a.At)
	})
	slices.SortStableFunc(list, func(x, y *board.Note) int { return x.At.Compare(y.At) })
	return list[max(0, len(list)-maxNotes):]
}

// questionsFor returns the questions about the task, or about the tasks that a
// planner was woken for. Only planners are shown those without an answer.
func questionsFor(b *board.Board, in templates.Input) []*board.Question {
	about := lists.Of(in.About, func(t *board.Task) board.TaskID { return t.ID })
	if in.Task != nil {
		about = append(about, in.Task.ID)
	}
	return slices.DeleteFunc(board.QuestionsAbout(b, about...), func(q *board.Question) bool {
		return q.Answer == "" && (in.Asked != nil || in.Capacity() != board.Plans || !q.IsOpen())
	})
}

func openDiscoveries(b *board.Board) []*board.Discovery {
	return lists.Where(board.All[*board.Discovery](b, board.Discovered), func(d *board.Discovery) bool { return d.IsOpen(b.At()) })
}

// promptsFolder has the prompts of a project.
const promptsFolder = ".liza/prompts"

// layers returns what a project and a user lay over the built-in prompts, the weakest first:
// the prompts of extensions and .liza/prompts among the project's files, then liza/prompts in
// the user's configuration folder.
func layers(b *board.Board, files fs.FS, environ []string) []templates.Layer {
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
func extensionLayers(b *board.Board, files fs.FS) (list []templates.Layer) {
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
