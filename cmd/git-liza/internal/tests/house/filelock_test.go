package house

import (
	"go/ast"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// mayLockFiles are the files that may ask the kernel for the lock of a file. All
// others call gitstore/git.
var mayLockFiles = []string{
	"cmd/git-liza/internal/proc/mark_linux.go", // proc may not import gitstore/git
	"gitstore/git/filelock.go",
}

// lockCalls are the functions of packages syscall and unix that lock a file.
var lockCalls = []string{"Flock", "FcntlFlock"}

// lockingFiles returns the Go files below root that ask the kernel for a lock.
func lockingFiles(root fs.FS) (found []string, err error) {
	err = eachFile(root, func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if ok && (pkg.Name == "syscall" || pkg.Name == "unix") && slices.Contains(lockCalls, sel.Sel.Name) && !slices.Contains(found, name) {
				found = append(found, name)
			}
			return true
		})
	})
	return found, err
}

func TestFilesAreLockedInOnePlace(t *testing.T) {
	t.Parallel()
	found, err := lockingFiles(os.DirFS("."))
	require.NoError(t, err)
	require.Equal(t, mayLockFiles, found)
}

func TestLockingFiles(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("package p\n\n" + text)} }
	found, err := lockingFiles(fstest.MapFS{
		"a/a.go":      file("func f() error { return syscall.Flock(1, syscall.LOCK_SH) }"),
		"a/b.go":      file("func f() error { return unix.FcntlFlock(1, 2, nil) }"),
		"a/c.go":      file("func f() error { return git.TryLock(nil) }"),
		"a/a_test.go": file("func f() error { return syscall.Flock(1, syscall.LOCK_SH) }"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a/a.go", "a/b.go"}, found)
}
