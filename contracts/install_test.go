package contracts

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A snapshot is all that is in a folder: modes, texts and links.
func snapshot(t require.TestingT, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		all[name] = info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[name] += " " + to
			return err
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			all[name] += " " + string(text)
			return err
		}
		return nil
	}))
	return all
}

func put(t require.TestingT, dir, name, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func text(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(raw)
}

// install installs and holds that nothing was kept back.
func install(t require.TestingT, dir string, target Target) Report {
	r, err := Install(dir, target, false)
	require.NoError(t, err)
	require.Empty(t, r.Kept())
	return r
}

// state is what Examine says of a file.
func state(t *testing.T, dir, path string) State {
	t.Helper()
	r, err := Examine(dir, nil)
	require.NoError(t, err)
	for _, e := range r.Entries {
		if e.Path == path {
			return e.State
		}
	}
	return ""
}

// The empty project gets everything, and has nothing left of it afterwards.
func TestInstall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := snapshot(t, dir)
	r := install(t, dir, Target{})
	require.True(t, r.Changed())
	for _, name := range Names() {
		want, _ := Document(name)
		if isSkill(name) {
			require.Equal(t, want, text(t, dir, ".claude/"+name))
			require.Equal(t, want, text(t, dir, ".agents/"+name))
			continue
		}
		require.Equal(t, want, text(t, dir, ".liza/contracts/"+name))
	}
	for _, name := range entryFiles {
		require.Contains(t, text(t, dir, name), "\n@.liza/contracts/CORE.md\n")
	}

	full := snapshot(t, dir)
	list, err := os.Stat(filepath.Join(dir, Manifest))
	require.NoError(t, err)
	require.False(t, install(t, dir, Target{}).Changed())
	require.Equal(t, full, snapshot(t, dir))
	same, err := os.Stat(filepath.Join(dir, Manifest))
	require.NoError(t, err)
	require.True(t, os.SameFile(list, same), "what is right is not written again")
	r, err = Examine(dir, nil)
	require.NoError(t, err)
	require.True(t, r.Installed)
	seen := map[string]bool{}
	for _, e := range r.Entries {
		require.Equal(t, Current, e.State, e.Path)
		require.False(t, seen[e.Path], "%s twice", e.Path)
		seen[e.Path] = true
	}

	r, err = Uninstall(dir)
	require.NoError(t, err)
	require.True(t, r.Changed())
	require.Equal(t, before, snapshot(t, dir))
	r, err = Uninstall(dir)
	require.NoError(t, err)
	require.False(t, r.Changed())
}

// Whatever a project has, uninstalling leaves it as it was before installing.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(rt, err)
		defer os.RemoveAll(dir)
		shapes := rapid.SampledFrom([]string{"none", "file", "file", "executable", "link to AGENTS.md", "link to docs/rules.md"})
		put(rt, dir, "docs/rules.md", surroundings().Draw(rt, "rules"))
		for _, name := range entryFiles {
			path := filepath.Join(dir, name)
			switch shape := shapes.Draw(rt, name); {
			case shape == "none":
			case shape == "executable":
				put(rt, dir, name, surroundings().Draw(rt, "text"))
				require.NoError(rt, os.Chmod(path, 0o777)) // which no umask leaves
			case shape == "file" || name == "AGENTS.md":
				put(rt, dir, name, surroundings().Draw(rt, "text"))
			default:
				require.NoError(rt, os.Symlink(strings.TrimPrefix(shape, "link to "), path))
			}
		}
		for _, folder := range []string{".liza", ".claude/skills", ".agents"} {
			if rapid.Bool().Draw(rt, folder) {
				require.NoError(rt, os.MkdirAll(filepath.Join(dir, folder), 0o755))
			}
		}
		before := snapshot(rt, dir)
		tools := rapid.SampledFrom([][]string{nil, {}, {"codex"}, {"claude", "gemini"}})
		for range rapid.IntRange(1, 3).Draw(rt, "installations") {
			install(rt, dir, Target{Dir: rapid.SampledFrom([]string{"", "docs/contracts", "a b"}).Draw(rt, "dir"), Tools: tools.Draw(rt, "tools")})
			r, err := Examine(dir, nil)
			require.NoError(rt, err)
			seen := map[string]bool{}
			for _, e := range r.Entries {
				require.Equal(rt, Current, e.State, e.Path)
				require.False(rt, seen[e.Path], "%s twice", e.Path)
				seen[e.Path] = true
			}
		}
		r, err := Uninstall(dir)
		require.NoError(rt, err)
		require.Empty(rt, r.Kept())
		require.Equal(rt, before, snapshot(rt, dir))
	})
}

// A file that somebody changed is kept, and the install says so; force replaces it
// and keeps a copy.
func TestChangedByHand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, ".claude/skills/liza-testing/SKILL.md", "my own")
	put(t, dir, "AGENTS.md", "# Mine\n")
	r, err := Install(dir, Target{}, false)
	require.NoError(t, err)
	require.Equal(t, []Entry{{Path: ".claude/skills/liza-testing/SKILL.md", State: Foreign, Done: Kept}}, r.Kept())
	require.Equal(t, "my own", text(t, dir, ".claude/skills/liza-testing/SKILL.md"))

	core := ".liza/contracts/CORE.md"
	put(t, dir, core, "shorter\n")
	put(t, dir, "AGENTS.md", strings.Replace(text(t, dir, "AGENTS.md"), "Before anything else", "If you like", 1))
	require.NoError(t, os.Remove(filepath.Join(dir, ".agents/skills/liza-feynman/SKILL.md")))
	for path, want := range map[string]State{core: Changed, "AGENTS.md": Changed, ".claude/skills/liza-testing/SKILL.md": Foreign,
		".agents/skills/liza-feynman/SKILL.md": Missing, "CLAUDE.md": Current} {
		require.Equal(t, want, state(t, dir, path), path)
	}
	r, err = Install(dir, Target{}, false)
	require.NoError(t, err)
	require.Len(t, r.Kept(), 3)
	require.Equal(t, Current, state(t, dir, ".agents/skills/liza-feynman/SKILL.md"))
	require.Equal(t, Changed, state(t, dir, core))

	r, err = Install(dir, Target{}, true)
	require.NoError(t, err)
	require.Empty(t, r.Kept())
	require.Equal(t, "my own", text(t, dir, ".claude/skills/liza-testing/SKILL.md.kept"))
	require.Equal(t, "shorter\n", text(t, dir, core+".kept"))
	require.Contains(t, text(t, dir, "AGENTS.md.kept"), "If you like")
	require.Contains(t, text(t, dir, "AGENTS.md"), "Before anything else")
	require.True(t, strings.HasSuffix(text(t, dir, "AGENTS.md"), "-->\n# Mine\n"))
	put(t, dir, core, "shorter still\n")
	_, err = Install(dir, Target{}, true)
	require.NoError(t, err)
	require.Equal(t, "shorter\n", text(t, dir, core+".kept"))
	require.Equal(t, "shorter still\n", text(t, dir, core+".kept2"))
}

// Uninstalling leaves what was changed, and is done once that is settled.
func TestUninstallKeepsChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, Target{Tools: []string{}})
	install(t, dir, Target{})
	require.NoDirExists(t, filepath.Join(dir, ".claude"), "what is not said is as last time")
	original := text(t, dir, "CLAUDE.md")
	put(t, dir, "CLAUDE.md", strings.Replace(original, "CORE", "EVERYTHING", 1)+"# Mine\n")
	put(t, dir, ".liza/contracts/AGENT_TOOLS.md", "mine")
	r, err := Uninstall(dir)
	require.NoError(t, err)
	require.Equal(t, []Entry{{Path: ".liza/contracts/AGENT_TOOLS.md", State: Changed, Done: Kept}, {Path: "CLAUDE.md", State: Changed, Done: Kept}}, r.Kept())
	require.True(t, r.Installed)
	require.NoFileExists(t, filepath.Join(dir, ".liza/contracts/CORE.md"))
	require.NoFileExists(t, filepath.Join(dir, "AGENTS.md"))

	require.NoError(t, os.Remove(filepath.Join(dir, ".liza/contracts/AGENT_TOOLS.md")))
	put(t, dir, "CLAUDE.md", original+"# Mine\n")
	r, err = Uninstall(dir)
	require.NoError(t, err)
	require.Empty(t, r.Kept())
	require.Equal(t, "# Mine\n", text(t, dir, "CLAUDE.md"))
	require.NoDirExists(t, filepath.Join(dir, ".liza"))
}

// A user who took the block out by hand is not asked again.
func TestBlockTakenOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, Target{})
	put(t, dir, "CLAUDE.md", "# Mine\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "CLAUDE.md"), 0o444))
	r, err := Uninstall(dir)
	require.NoError(t, err)
	require.Empty(t, r.Kept())
	require.Equal(t, "# Mine\n", text(t, dir, "CLAUDE.md"))
	require.Len(t, snapshot(t, dir), 2)
}

// Files of another version are replaced without a question.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, Target{})
	core := ".liza/contracts/CORE.md"
	now := digest([]byte(text(t, dir, core)))
	put(t, dir, core, "# CORE of last year\n")
	put(t, dir, ".liza/contracts/gone.md", "# Dropped since\n")
	list := strings.Replace(text(t, dir, Manifest), now, digest([]byte("# CORE of last year\n")), 1)
	put(t, dir, Manifest, list+digest([]byte("# Dropped since\n"))+"  .liza/contracts/gone.md\n")
	require.Equal(t, Outdated, state(t, dir, core))
	require.Equal(t, Obsolete, state(t, dir, ".liza/contracts/gone.md"))
	install(t, dir, Target{})
	require.Equal(t, Current, state(t, dir, core))
	require.NoFileExists(t, filepath.Join(dir, ".liza/contracts/gone.md"))
	require.NotContains(t, text(t, dir, Manifest), "gone.md")
}

// Skills once had names without liza-. Those that nobody changed go, and a skill of the
// project's own with such a name is left alone.
func TestSkillsOfOldNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, Target{})
	const unchanged, changed, own = ".claude/skills/testing/SKILL.md", ".agents/skills/testing/SKILL.md", ".claude/skills/debugging/SKILL.md"
	put(t, dir, unchanged, "# Testing\n")
	put(t, dir, changed, "# Testing, as we do it\n")
	put(t, dir, own, "# Debugging here\n")
	sum := digest([]byte("# Testing\n"))
	put(t, dir, Manifest, text(t, dir, Manifest)+sum+"  "+changed+"\n"+sum+"  "+unchanged+"\n")
	r, err := Install(dir, Target{}, false)
	require.NoError(t, err)
	require.Equal(t, []Entry{{Path: changed, State: Changed, Done: Kept}}, r.Kept())
	require.NoFileExists(t, filepath.Join(dir, unchanged))
	require.Equal(t, "# Testing, as we do it\n", text(t, dir, changed))
	require.Equal(t, "# Debugging here\n", text(t, dir, own))
	require.Equal(t, Current, state(t, dir, ".claude/skills/liza-testing/SKILL.md"))
}

// A file of a newer program is told from one of an older program, and is replaced
// only by force.
func TestNewerVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, Target{})
	core, added := ".liza/contracts/CORE.md", ".liza/contracts/since.md"
	now := digest([]byte(text(t, dir, core)))
	put(t, dir, core, "# CORE of next year\n")
	put(t, dir, added, "# Thought of since\n")
	list := strings.Replace(text(t, dir, Manifest), now, digest([]byte("# CORE of next year\n")), 1)
	list = strings.Replace(list, fmt.Sprintf("# git liza edition %d\n", Edition), fmt.Sprintf("# git liza edition %d\n", Edition+1), 1)
	put(t, dir, Manifest, list+digest([]byte("# Thought of since\n"))+"  "+added+"\n")
	before := snapshot(t, dir)
	require.Equal(t, Newer, state(t, dir, core))
	require.Equal(t, Newer, state(t, dir, added))
	require.Equal(t, Current, state(t, dir, ".liza/contracts/roles/coder.md"))
	r, err := Install(dir, Target{}, false)
	require.NoError(t, err)
	require.Len(t, r.Kept(), 2)
	require.Equal(t, before, snapshot(t, dir))
	other := t.TempDir()
	require.NoError(t, os.CopyFS(other, os.DirFS(dir)))
	_, err = Uninstall(other)
	require.NoError(t, err)
	require.Len(t, snapshot(t, other), 1, "what it is does not matter where it goes")
	_, err = Install(dir, Target{}, true)
	require.NoError(t, err)
	require.Equal(t, now, digest([]byte(text(t, dir, core))))
	require.NoFileExists(t, filepath.Join(dir, added))
	require.NoFileExists(t, filepath.Join(dir, core+".kept"))
	require.Contains(t, text(t, dir, Manifest), fmt.Sprintf("# git liza edition %d\n", Edition))

}

// A change of a text needs another edition, so that older programs notice it.
func TestEdition(t *testing.T) {
	t.Parallel()
	all := string(pointer("DIR"))
	for _, name := range Names() {
		text, _ := Document(name)
		all += name + "\n" + text
	}
	require.Equal(t, "13 ff2f1ca4da1687a0", fmt.Sprintf("%d %.16s", Edition, digest([]byte(all))),
		"what is written into projects has changed: count Edition up, and put what it is now here")
}

// A checkout with other line breaks is the same contract.
func TestLineBreaks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, Target{})
	for _, name := range []string{".liza/contracts/CORE.md", "CLAUDE.md", Manifest} {
		put(t, dir, name, strings.ReplaceAll(text(t, dir, name), "\n", "\r\n"))
	}
	require.Equal(t, Current, state(t, dir, ".liza/contracts/CORE.md"))
	require.Equal(t, Current, state(t, dir, "CLAUDE.md"))
	r, err := Uninstall(dir)
	require.NoError(t, err)
	require.Empty(t, r.Kept())
	require.Len(t, snapshot(t, dir), 1)
}

// A file that cannot be written is left as it is, with the reason, and the others
// are written.
func TestBarred(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path, reason string
		make               func(t *testing.T, dir string)
	}{
		{"read-only", "CLAUDE.md", "it is read-only", func(t *testing.T, dir string) {
			put(t, dir, "CLAUDE.md", "x")
			require.NoError(t, os.Chmod(filepath.Join(dir, "CLAUDE.md"), 0o444))
		}},
		{"damaged", "CLAUDE.md", errDamaged.Error(), func(t *testing.T, dir string) { put(t, dir, "CLAUDE.md", beginning+"\n") }},
		{"a link out", "CLAUDE.md", "it is a symbolic link that leads out of the project", func(t *testing.T, dir string) {
			put(t, filepath.Dir(dir), "outside.md", "theirs")
			require.NoError(t, os.Symlink("../outside.md", filepath.Join(dir, "CLAUDE.md")))
		}},
		{"a link nowhere", "GEMINI.md", "it is a symbolic link that leads nowhere", func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("nowhere.md", filepath.Join(dir, "GEMINI.md")))
		}},
		{"a circle of links", "CLAUDE.md", "it is one of a circle of symbolic links", func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("GEMINI.md", filepath.Join(dir, "CLAUDE.md")))
			require.NoError(t, os.Symlink("CLAUDE.md", filepath.Join(dir, "GEMINI.md")))
		}},
		{"a link into git's folder", "CLAUDE.md", "it is a symbolic link that leads out of the project", func(t *testing.T, dir string) {
			put(t, dir, ".git/config", "[core]\n")
			require.NoError(t, os.Symlink(".git/config", filepath.Join(dir, "CLAUDE.md")))
		}},
		{"a folder", "AGENTS.md", "it is no regular file", func(t *testing.T, dir string) { put(t, dir, "AGENTS.md/x", "") }},
		{"a folder out", ".liza/contracts/CORE.md", ".liza/contracts: path escapes from parent", func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, ".liza"), 0o755))
			require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, ".liza", "contracts")))
		}},
		{"a folder nowhere", ".claude/skills/liza-testing/SKILL.md", ".claude is a symbolic link that leads nowhere", func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, ".claude")))
		}},
		{"a file for a folder", ".agents/skills/liza-testing/SKILL.md", ".agents is no folder", func(t *testing.T, dir string) { put(t, dir, ".agents", "x") }},
		{"a linked document", ".liza/contracts/CORE.md", "it is a symbolic link", func(t *testing.T, dir string) {
			put(t, dir, "core.md", "x")
			put(t, dir, ".liza/contracts/README", "x")
			require.NoError(t, os.Symlink("../../core.md", filepath.Join(dir, ".liza/contracts/CORE.md")))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir := filepath.Join(top, "project")
			require.NoError(t, os.Mkdir(dir, 0o755))
			test.make(t, dir)
			before := snapshot(t, top)
			for range 2 {
				r, err := Install(dir, Target{}, true)
				require.NoError(t, err)
				require.Contains(t, r.Kept(), Entry{Path: test.path, State: Barred, Done: Kept, Reason: test.reason})
				require.Equal(t, Barred, state(t, dir, test.path))
			}
			require.FileExists(t, filepath.Join(dir, ".liza/contracts.sha256"))
			_, err := Uninstall(dir)
			require.NoError(t, err)
			require.Equal(t, before, snapshot(t, top))
		})
	}
}

// An installation that ends in the middle is completed by the next one, or
// taken back; so is an uninstallation.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for _, name := range []string{Manifest, "AGENTS.md", "GEMINI.md", ".liza/contracts/PAIRING_MODE.md", ".agents/skills/liza-testing/SKILL.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, "AGENTS.md", "# Mine")
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			before := snapshot(t, dir)
			// An obstacle that nobody can overwrite stops the install at this file.
			obstacle := filepath.Join(dir, draftPath(name), "x")
			stop := func() { put(t, dir, filepath.Join(draftPath(name), "x"), "") }
			goOn := func() { require.NoError(t, os.RemoveAll(filepath.Dir(obstacle))) }

			stop()
			_, err := Install(dir, Target{}, false)
			require.Error(t, err)
			goOn()
			put(t, dir, draftPath(name), "half a fi") // as a kill leaves it
			r := install(t, dir, Target{})
			require.True(t, r.Changed())
			for _, e := range r.Entries {
				require.Equal(t, Current, state(t, dir, e.Path), e.Path)
			}

			stop()
			_, err = Uninstall(dir)
			require.Error(t, err)
			if name == Manifest {
				require.NoDirExists(t, filepath.Join(dir, ".claude"), "folders go while the list knows them")
			}
			goOn()
			r, err = Uninstall(dir)
			require.NoError(t, err)
			require.Empty(t, r.Kept())
			require.Equal(t, before, snapshot(t, dir))

			stop()
			_, err = Install(dir, Target{}, false)
			require.Error(t, err)
			goOn()
			_, err = Uninstall(dir)
			require.NoError(t, err)
			require.Equal(t, before, snapshot(t, dir))
		})
	}
}

// The meaning of an unreadable list is not guessed.
func TestUnreadableManifest(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	put(t, empty, Manifest, "")
	_, err := Examine(empty, nil)
	require.Error(t, err)
	for _, line := range []string{"<<<<<<< ours", "0123  x", "# unknown x", digest(nil) + "  ../x", "# created /etc/passwd", "# dir ../x", "# dir .git/x", ""} {
		dir := t.TempDir()
		install(t, dir, Target{})
		put(t, dir, Manifest, text(t, dir, Manifest)+line+"\n")
		before := snapshot(t, dir)
		var unreadable *Unreadable
		_, err = Install(dir, Target{}, true)
		require.ErrorAs(t, err, &unreadable, line)
		_, err = Uninstall(dir)
		require.ErrorAs(t, err, &unreadable, line)
		_, err = Examine(dir, nil)
		require.ErrorAs(t, err, &unreadable, line)
		require.Equal(t, before, snapshot(t, dir))
	}
}

func TestBadTargets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, target := range []Target{{Dir: "../x"}, {Dir: "/x"}, {Dir: "."}, {Dir: ".git/x"}, {Dir: ".GIT"}, {Dir: "a\nb"}, {Dir: `a\b`}, {Dir: "a//b"}, {Tools: []string{"cluade"}}} {
		_, err := Install(dir, target, true)
		require.Error(t, err, "%v", target)
		require.Len(t, snapshot(t, dir), 1)
	}
}
