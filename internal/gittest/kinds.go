package gittest

import (
	"path/filepath"
	"testing"
)

// A Kind is one kind of repository: where to open it, and what a test has to find.
type Kind struct {
	Dir, Common, Work, Main string
}

// Kinds makes one repository of each kind, with one commit on main.
var Kinds = map[string]func(t *testing.T) Kind{
	"plain": func(t *testing.T) Kind {
		dir := Seeded(t)
		return Kind{filepath.Join(dir, "src"), filepath.Join(dir, ".git"), dir, dir}
	},
	"bare": func(t *testing.T) Kind {
		dir := filepath.Join(t.TempDir(), "bare.git")
		Git(t, ".", "clone", "-q", "--bare", Seeded(t), dir)
		return Kind{dir, dir, "", ""}
	},
	"linked": func(t *testing.T) Kind {
		dir, linked := Seeded(t), filepath.Join(t.TempDir(), "linked")
		Git(t, dir, "worktree", "add", "-q", linked)
		return Kind{filepath.Join(linked, "src"), filepath.Join(dir, ".git"), linked, dir}
	},
	"linked to bare": func(t *testing.T) Kind {
		dir, linked := filepath.Join(t.TempDir(), ".git"), filepath.Join(t.TempDir(), "linked")
		Git(t, ".", "clone", "-q", "--bare", Seeded(t), dir)
		Git(t, dir, "worktree", "add", "-q", "-b", "other", linked)
		return Kind{linked, dir, linked, ""}
	},
	"inside the git directory": func(t *testing.T) Kind {
		dir := Seeded(t)
		return Kind{filepath.Join(dir, ".git", "refs"), filepath.Join(dir, ".git"), "", dir}
	},
	"packed": func(t *testing.T) Kind {
		dir := Seeded(t)
		Git(t, dir, "gc", "-q")
		Git(t, dir, "pack-refs", "--all")
		return Kind{dir, filepath.Join(dir, ".git"), dir, dir}
	},
	"sha256": func(t *testing.T) Kind {
		dir := Seeded(t, "--object-format=sha256")
		return Kind{dir, filepath.Join(dir, ".git"), dir, dir}
	},
	"sha256 packed": func(t *testing.T) Kind {
		dir := Seeded(t, "--object-format=sha256")
		Git(t, dir, "gc", "-q")
		return Kind{dir, filepath.Join(dir, ".git"), dir, dir}
	},
	"worktreeConfig": func(t *testing.T) Kind {
		dir, linked := Seeded(t), filepath.Join(t.TempDir(), "linked")
		Git(t, dir, "worktree", "add", "-q", linked)
		Git(t, dir, "sparse-checkout", "set", "src") // sets extensions.worktreeConfig
		return Kind{linked, filepath.Join(dir, ".git"), linked, dir}
	},
	"worktreeConfig of bare": func(t *testing.T) Kind {
		dir, linked := filepath.Join(t.TempDir(), ".git"), filepath.Join(t.TempDir(), "linked")
		Git(t, ".", "clone", "-q", "--bare", Seeded(t), dir)
		Git(t, dir, "worktree", "add", "-q", "-b", "other", linked)
		Git(t, dir, "config", "extensions.worktreeConfig", "true")
		Git(t, dir, "config", "--worktree", "core.bare", "true")
		Git(t, dir, "config", "--unset", "core.bare")
		return Kind{linked, dir, linked, ""}
	},
	"shared permissions": func(t *testing.T) Kind {
		dir := Seeded(t)
		Git(t, dir, "config", "core.sharedRepository", "group")
		return Kind{dir, filepath.Join(dir, ".git"), dir, dir}
	},
	"borrowed objects": func(t *testing.T) Kind {
		dir := filepath.Join(t.TempDir(), "clone")
		Git(t, ".", "clone", "-q", "--shared", Seeded(t), dir)
		return Kind{dir, filepath.Join(dir, ".git"), dir, dir}
	},
	"submodule": func(t *testing.T) Kind {
		dir := Seeded(t)
		Git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", Seeded(t), "sub")
		return Kind{filepath.Join(dir, "sub"), filepath.Join(dir, ".git/modules/sub"), filepath.Join(dir, "sub"), filepath.Join(dir, "sub")}
	},
}
