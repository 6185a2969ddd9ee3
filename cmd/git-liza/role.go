package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/roles"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

type roleCommands struct {
	List    roleListCommand    `cmd:"" default:"1" help:"The roles, and which submissions each must judge; the default."`
	Show    roleShowCommand    `cmd:"" help:"What a role may do, and what its agents are told."`
	Add     roleAddCommand     `cmd:"" help:"Enter a role that a file describes, or a built-in one that the board lacks."`
	Remove  roleRemoveCommand  `cmd:"" help:"Take a role off the board that no agent has and nothing asks for."`
	Require roleRequireCommand `cmd:"" help:"Ask for the verdict of a role: on all submissions, on those of some kinds, or on those that touch some paths."`
}

type roleListCommand struct{}

func (c *roleListCommand) Run(inv *invocation, l look) error {
	list := view.Roles(l.reading.Board, roles.IsBuiltin)
	objects := append([]view.Object{}, lists.Of(list, view.Role.Object)...)
	return l.answer(inv, map[string]any{"roles": objects}, view.RoleTable(list).Text(inv.width()))
}

type roleShowCommand struct {
	Role board.Role `arg:"" help:"As git liza role list names it."`
}

func (c *roleShowCommand) Run(inv *invocation, l look) error {
	if c.Role == board.HumanRole {
		role := view.HumanRole(l.reading.Board)
		return inv.answer("", role.Object().With("rules", view.Rules(role.Required)).With("text", ""), role.Text(inv.width()))
	}
	row, err := l.role(c.Role)
	if err != nil {
		return err
	}
	role := view.RoleOf(l.reading.Board, row, roles.IsBuiltin)
	files, err := git.FilesAt(inv.ctx, l.clone.Repo, l.reading.Board.Settings().Integration.Tip, extension.MaxFile)
	if err != nil {
		return err
	}
	persona, err := roles.Persona(row, files)
	if missing, is := errors.AsType[*roles.MissingPersona](err); is {
		inv.progress("warning: %v", missing)
	} else if err != nil {
		return err
	}
	return inv.answer("", role.Object().With("rules", view.Rules(role.Required)).With("text", persona), role.Text(inv.width())+"\n"+plaintext.Lines(persona))
}

// role returns a row of the board, or a refusal.
func (l look) role(name board.Role) (*board.RoleRow, error) {
	row := l.reading.Board.Role(name)
	if err := l.reading.Board.Err(); err != nil {
		return nil, err
	}
	if row == nil {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "the board has no role " + string(name), Hint: "git liza role list"}
	}
	return row, nil
}

type roleAddCommand struct {
	File    string `arg:"" help:"The role's file, such as .liza/roles/auditor.md: its row as front matter, and below it what its agents are told. Or the name of a role of .liza/roles, of an extension, or built in: the first that there is."`
	Replace bool   `help:"Change a role that there is to what the file says."`
}

func (c *roleAddCommand) Run(inv *invocation, clone *work.Clone) error {
	row, err := c.row(inv, clone)
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActRole, "", &flow.RoleMove{Row: row, Replace: c.Replace})
	if err != nil {
		if refusal, is := errors.AsType[*flow.Refusal](err); is {
			refusal.Hint = strings.Replace(refusal.Hint, " FILE ", " "+shell.Quote(c.File)+" ", 1) // the move does not say from where its row is
		}
		return err
	}
	role := view.RoleOf(r.After, r.After.Role(row.Name), roles.IsBuiltin)
	choice := providerChoice{inv, &clone.Repo.Config.Configuration}
	known, err := choice.catalogue()
	if err != nil {
		return err
	}
	if row.Provider != "" && known.FindRow(row.Provider) == nil {
		inv.progress("warning: there is no provider %s: git config liza.%s.provider NAME", row.Provider, row.Name)
	}
	warnUnmerged(inv, clone, r.After)
	return inv.result(r, role.Object(), "%s", role.Line())
}

// row returns the row of the role that the argument names.
func (c *roleAddCommand) row(inv *invocation, clone *work.Clone) (board.RoleRow, error) {
	var name board.Role
	if name.UnmarshalText([]byte(c.File)) == nil {
		found, err := c.findFile(inv, name)
		if err != nil {
			return board.RoleRow{}, err
		}
		list := roles.Builtin()
		if i := slices.IndexFunc(list, func(row board.RoleRow) bool { return row.Name == name }); i >= 0 && !found {
			return list[i], nil
		}
	}
	path, text, err := c.read(inv, clone)
	if err != nil {
		return board.RoleRow{}, err
	}
	row, _, err := roles.Parse(path, text)
	if err != nil {
		return row, usagef("git liza help role add", "%v", err)
	}
	row.Persona = path
	return row, nil
}

// findFile takes the file of a role of that name, of the project or else of the last
// extension that brings it. These lie above the built-in roles.
func (c *roleAddCommand) findFile(inv *invocation, name board.Role) (found bool, err error) {
	list, top, err := readExtensions(inv)
	if errors.Is(err, worktrees.ErrNoWorkTree) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range list {
		if len(e.Wrong) == 0 && slices.Contains(e.Roles(), name) {
			c.File, found = filepath.Join(top, filepath.FromSlash(e.Path), "roles", name.String()+".md"), true
		}
	}
	own := filepath.Join(top, ".liza", "roles", name.String()+".md")
	if _, err := os.Stat(own); err == nil {
		c.File, found = own, true
	}
	return found, nil
}

// read returns the file's path below the main work tree, and its text. The path
// stands on the board; agents are told what integration has there.
func (c *roleAddCommand) read(inv *invocation, clone *work.Clone) (path string, text []byte, err error) {
	file := pathFrom(inv.dir, c.File)
	top := clone.Repo.MainWorkTree()
	if top == "" {
		return "", nil, worktrees.ErrNoWorkTree
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return "", nil, usagef("git liza help role add", "there is no file %s, and no built-in role of that name: %s", c.File, view.JoinIDs(lists.Of(roles.Builtin(), func(row board.RoleRow) board.Role { return row.Name })))
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return "", nil, err
	}
	below := clone.Checkouts.Trees.Below()
	path, err = filepath.Rel(top, file)
	if path = filepath.ToSlash(path); err != nil || !filepath.IsLocal(path) || below != "" && strings.HasPrefix(path, below+"/") || strings.HasPrefix(path, ".git/") {
		return "", nil, &flow.Refusal{Rule: flow.RulePath, Reason: c.File + " is not in the main work tree: " + top,
			Hint: "mkdir -p " + shell.Quote(top+"/.liza/roles") + " && cp " + shell.Quote(c.File) + " " + shell.Quote(top+"/.liza/roles/")}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", nil, err
	}
	defer root.Close()
	if text, err = roles.ReadFile(root.FS(), path); err != nil {
		err = fmt.Errorf("%s: %w", c.File, err)
	}
	return path, text, err
}

type roleRemoveCommand struct {
	Role board.Role `arg:"" help:"As git liza role list names it."`
}

func (c *roleRemoveCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, board.ActRole, "", &flow.RoleMove{Row: board.RoleRow{Name: c.Role}, Remove: true})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"role": c.Role}, "%s is no role any more", c.Role)
}

type roleRequireCommand struct {
	Role      board.Role   `arg:"" help:"A role that judges, or human."`
	Kinds     []board.Kind `placeholder:"K" help:"Only of tasks of these kinds; repeatable."`
	Paths     []string     `placeholder:"GLOB,…" help:"Only where a changed path matches; repeatable."`
	Remove    bool         `help:"Ask for it no more: the rule with exactly these kinds and paths goes."`
	InPlaceOf board.Role   `placeholder:"R" help:"Also drop the rule that asks this role for all submissions."`
}

func (c *roleRequireCommand) Run(inv *invocation, clone *work.Clone) error {
	rule := board.ReviewRule{Role: c.Role, Kinds: c.Kinds, Paths: c.Paths}
	r, err := clone.Make(inv.ctx, board.ActRequire, "", &flow.RequireMove{Rule: rule, Remove: c.Remove, InPlaceOf: c.InPlaceOf})
	if err != nil {
		return err
	}
	line, warnings := view.RuleText(rule), []string{}
	if c.Remove {
		line = strings.Replace(line, " need ", " no longer need ", 1)
	} else if warnings, err = c.warnings(inv, clone, r); err != nil {
		return err
	}
	for _, warning := range warnings {
		inv.progress("warning: %s", warning)
	}
	return inv.result(r, map[string]any{"rules": view.Rules(r.After.ReviewRules()), "warnings": warnings}, "%s", line)
}

// warnings say why nobody here can satisfy the rule, or why it asks for nothing.
func (c *roleRequireCommand) warnings(inv *invocation, clone *work.Clone, r gitstore.Result) ([]string, error) {
	list := []string{}
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	b := r.After
	if row := b.Role(c.Role); row != nil {
		role := view.RoleOf(b, row, roles.IsBuiltin)
		if len(role.Agents) == 0 {
			warn("no agent of %s is registered: git liza rush --agents %s=1", c.Role, c.Role)
		}
		missing, err := missingProvider(inv, clone, row)
		if err != nil {
			return nil, err
		}
		if row.NotHuman && missing != "" {
			warn("%s, and no person's verdict counts for %s: git config liza.%s.provider NAME", missing, c.Role, c.Role)
		}
		judged := func(k work.BoardCommand) bool { return k.Where != "post_worktree" }
		if row.Provider == "gates" && !slices.ContainsFunc(work.BoardCommands(b), judged) {
			warn("the board has no gates and no task has a verify command, so %s has nothing to run: git liza help config", c.Role)
		}
	}
	unmatched, err := c.unmatched(inv, clone, b)
	for _, glob := range unmatched {
		warn("no file on %s matches %s", b.Settings().Integration.Name, glob)
	}
	return list, err
}

// missingProvider says why no agent of a role can be started here, "" if one can.
func missingProvider(inv *invocation, clone *work.Clone, role *board.RoleRow) (string, error) {
	choice := providerChoice{inv, &clone.Repo.Config.Configuration}
	known, err := choice.catalogue()
	if err != nil {
		return "", err
	}
	chosen, err := choice.forRole(role, "")
	if err != nil {
		return "", err
	}
	name := providerName(chosen.text)
	if name == "" {
		return "no provider is chosen here", nil
	}
	if name == "exec" || name == "acp" {
		return "", nil
	}
	found := known.FindRow(name)
	if found == nil {
		return "there is no provider " + name, nil
	}
	row := *found
	row.Version = nil // it is not asked for its version, which may take seconds
	if there := (provider.Catalogue{row}).Detect(inv.ctx, inv.environ); there[0].Path == "" && !there[0].NamesNoProgram() {
		return "the provider " + name + " is not installed here", nil
	}
	return "", nil
}

// unmatched returns the rule's globs that match no file on integration.
func (c *roleRequireCommand) unmatched(inv *invocation, clone *work.Clone, b *board.Board) ([]string, error) {
	if len(c.Paths) == 0 {
		return nil, nil
	}
	out, err := clone.Repo.Git(inv.ctx, "ls-tree", "-r", "-z", "--name-only", string(b.Settings().Integration.Tip))
	if err != nil {
		return nil, err
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(slices.Clone(c.Paths), func(pattern string) bool {
		return slices.ContainsFunc(files, func(file string) bool { return glob.Match(pattern, file) })
	}), nil
}
