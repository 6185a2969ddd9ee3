package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A borrowed tree is that of a commit elsewhere, as files in a temporary folder. Nothing
// of it runs: no hook, no filter, no submodule.
type borrowed struct {
	inv  *invocation
	repo *git.Repo
	dir  string
}

// isElsewhere reports whether an extension is asked for by URL#REF: whatever is no folder
// here and looks like a repository elsewhere, or names a ref of one.
func isElsewhere(inv *invocation, said string) bool {
	path := said
	if !filepath.IsAbs(path) {
		path = filepath.Join(inv.dir, path)
	}
	if _, err := os.Stat(path); err == nil {
		return false
	}
	return strings.Contains(said, "#") || strings.Contains(said, "://")
}

// borrow fetches the commit that a ref of a repository names, HEAD without #REF. The
// caller closes it.
func borrow(inv *invocation, repo *git.Repo, said string) (*borrowed, error) {
	url, ref := said, "HEAD"
	if at := strings.LastIndexByte(said, '#'); at >= 0 {
		url, ref = said[:at], said[at+1:]
	}
	if url == "" || ref == "" || strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "+") || strings.Contains(ref, ":") {
		return nil, usagef("git liza help extension", "%s is no URL#REF", git.Visible(shownAddress(said, inv.environ)))
	}
	if local := filepath.Join(inv.dir, url); !strings.Contains(url, ":") && !filepath.IsAbs(url) {
		url = local
	}
	dir, err := os.MkdirTemp("", "liza-extension-")
	if err != nil {
		return nil, err
	}
	b := &borrowed{inv, repo, dir}
	if _, err = b.git("init", "-q", "--bare", "--template="); err == nil {
		if _, err = b.git("fetch", "-q", "--depth=1", "--no-tags", "--no-auto-maintenance", "--", url, ref); err != nil {
			err = fetchFailure(err, shownAddress(url, inv.environ))
		}
	}
	if err == nil {
		err = b.extract()
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// fetchFailure is the error of a fetch that failed for a reason without a name of its own:
// nothing is wrong here, and git shows what there is at the address.
func fetchFailure(err error, url string) error {
	f := classify(err)
	if f.rule != flow.RuleFailed {
		return err
	}
	f.hint = "git ls-remote -- " + shell.Quote(url)
	return &partial{f, nil}
}

// shownAddress is the address of a repository without secrets: the user and password of a
// URL, of which ssh needs the user, and what a secret.Mask hides.
func shownAddress(url string, environ []string) string {
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		host := len(rest)
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			host = end
		}
		// net/url refuses passwords that git takes.
		at := strings.LastIndexByte(rest[:host], '@')
		user := ""
		if at >= 0 && strings.HasSuffix(scheme, "ssh") {
			user, _, _ = strings.Cut(rest[:at], ":")
			user += "@"
		}
		url = scheme + "://" + user + rest[at+1:]
	}
	return secret.New(environ, nil).String(url)
}

func (b *borrowed) close() error { return os.RemoveAll(b.dir) }

// files is the folder of the tree.
func (b *borrowed) files() string { return filepath.Join(b.dir, "liza-files") }

func (b *borrowed) git(args ...string) ([]byte, error) {
	return b.repo.Run(b.inv.ctx, git.Cmd{Dir: b.dir, WorkTree: true, Remote: args[0] == "fetch", Env: []string{"GIT_DIR=" + b.dir}, Args: args})
}

// extract writes the files of the tree that was fetched, byte for byte.
func (b *borrowed) extract() error {
	out, err := b.git("ls-tree", "-r", "-l", "-z", "FETCH_HEAD")
	if err != nil {
		return err
	}
	root := b.files()
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	rows := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(rows) > extension.MaxFiles {
		return refuseTree("the repository has %d files, and an extension has at most %d", len(rows), extension.MaxFiles)
	}
	for _, row := range rows {
		facts, name, ok := strings.Cut(row, "\t")
		fields := strings.Fields(facts)
		if !ok || len(fields) != 4 {
			return refuseTree("the repository has no file")
		}
		size, err := strconv.Atoi(fields[3])
		switch {
		case fields[0] != "100644" && fields[0] != "100755":
			return refuseTree("%s is no regular file", git.Visible(name))
		case err != nil || size > extension.MaxFile:
			return refuseTree("%s is larger than 256 KiB", git.Visible(name))
		case !filepath.IsLocal(filepath.FromSlash(name)):
			return refuseTree("%s leads out of the repository", git.Visible(name))
		}
		text, err := b.git("cat-file", "blob", fields[2])
		if err != nil {
			return err
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if fields[0] == "100755" {
			mode = 0o755
		}
		if err := os.WriteFile(file, text, mode); err != nil {
			return err
		}
	}
	return nil
}

func refuseTree(format string, args ...any) error {
	return &flow.Refusal{Rule: flow.RuleContent, Reason: fmt.Sprintf(format, args...), Hint: "git liza help extension"}
}
