package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
)

// board returns a clone with a board of that many tasks, which is made once. The board
// begins and ends with real moves. Between them one commit holds all generated
// documents, under the message of the move before it, because making a hundred thousand
// tasks by moves takes hours. So a replay of the chain would find a mistake there, but
// every reader of the board's state finds a valid one. All objects are in one pack, as
// after a gc.
func (b *bench) board(live, archived int) (*clone, error) {
	name := fmt.Sprintf("board-%d-%d", live, archived)
	if c := b.boards[name]; c != nil {
		return c, nil
	}
	b.progress("making a board of %d live and %d archived tasks", live, archived)
	c := &clone{b: b, path: filepath.Join(b.dir, name, "work")}
	c.git = filepath.Join(c.path, ".git")
	for _, step := range []func() error{c.found, func() error { return c.generate(live, archived) }, c.prepareTasks} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.boards[name] = c
	return c, nil
}

// found makes a small repository with a new board.
func (c *clone) found() error {
	if err := os.RemoveAll(filepath.Dir(c.path)); err != nil {
		return err
	}
	files := map[string]string{"specs/vision.md": "# A product\n\n## Limits\n"}
	for i := range 20 {
		files[fmt.Sprintf("src/part-%d/main.go", i)] = fmt.Sprintf("package part%d\n", i)
	}
	for name, text := range files {
		if err := write(filepath.Join(c.path, name), text); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"git", "init", "-q"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "A product"},
		{c.b.program, "init", "--no-hooks"},
		{c.b.program, "task", "add", "first", "--title", "First", "--done-when", "It is there", "--spec", "specs/vision.md#limits", "--scope", "All"},
	} {
		if _, err := c.b.output(command{dir: c.path, args: args}); err != nil {
			return err
		}
	}
	return nil
}

// generate puts one commit with all the tasks on the state ref.
func (c *clone) generate(live, archived int) error {
	g, err := c.generator(live, archived)
	if err != nil {
		return err
	}
	head, err := c.successor()
	if err != nil {
		return err
	}
	return c.fastImport(g, func() {
		g.print(head)
		g.documents()
		g.print("\n")
	})
}

// fastImport puts what write has the generator print on the state ref, through `git
// fast-import`, and packs all as a gc does.
func (c *clone) fastImport(g *generator, write func()) error {
	p := exec.CommandContext(c.b.ctx, "git", "fast-import", "--quiet", "--done")
	p.Dir, p.Env, p.Stderr = c.path, c.b.environ, os.Stderr
	in, err := p.StdinPipe()
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	g.to = bufio.NewWriter(in)
	write()
	g.print("done\n")
	streamErr := errors.Join(g.err, g.to.Flush(), in.Close())
	if err := p.Wait(); err != nil {
		return fmt.Errorf("git fast-import: %w", errors.Join(err, g.err))
	}
	if streamErr != nil {
		return streamErr
	}
	if _, err := c.plain("repack", "-a", "-d", "-q"); err != nil {
		return err
	}
	return c.acceptTip()
}

// acceptTip has the clone accept the generated tip, which no move made, as one that it
// wrote itself.
func (c *clone) acceptTip() error {
	tip, err := c.tip()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.git, layout.Private, "written"), []byte(tip+"\n"), 0o666)
}

// successor begins a commit on the tip in the format of fast-import. It has the tip's
// author, date and message, so that its move can be read.
func (c *clone) successor() (string, error) {
	raw, err := c.plain("cat-file", "commit", layout.State)
	if err != nil {
		return "", err
	}
	tip, err := c.tip()
	if err != nil {
		return "", err
	}
	head, message, _ := strings.Cut(raw+"\n", "\n\n")
	text := "commit " + layout.State + "\n"
	for line := range strings.Lines(head + "\n") {
		if strings.HasPrefix(line, "author ") || strings.HasPrefix(line, "committer ") {
			text += line
		}
	}
	return fmt.Sprintf("%sdata %d\n%s\nfrom %s\n", text, len(message), message, tip), nil
}

// prepareTasks makes the worktrees of the measured tasks by real claims, gives the tasks
// back, and installs the hooks. Hooks installed earlier would refuse the generated
// commit.
func (c *clone) prepareTasks() error {
	if _, err := c.b.output(c.liza("hooks", "install")); err != nil {
		return err
	}
	for n := range benchTasks {
		for _, step := range []command{c.claim(n), c.release(n)} {
			if _, err := c.b.output(step); err != nil {
				return err
			}
		}
	}
	return nil
}

// settings reads liza.yaml at the tip.
func (c *clone) settings() (s board.Settings, open board.SprintID, err error) {
	if err := c.document("liza.yaml", &s); err != nil {
		return s, "", err
	}
	var goal board.Goal
	err = c.document("goals/"+string(s.Goal)+".yaml", &goal)
	return s, goal.Sprint, err
}

// document reads a document of the board into v.
func (c *clone) document(path string, v any) error {
	text, err := c.plain("show", layout.State+":"+path)
	if err != nil {
		return err
	}
	return document.Decode(path, []byte(text+"\n"), v)
}
