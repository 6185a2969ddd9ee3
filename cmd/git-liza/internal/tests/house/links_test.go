package house

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// docLink is a link of a comment to a method, as [TYPE.METHOD] or
// [PACKAGE.TYPE.METHOD], or to another name of a package of ours.
var docLink = regexp.MustCompile(`\[\*?([A-Za-z]\w*(?:\.[A-Za-z]\w*){1,2})\]`)

// declared has the names that a package declares: NAME, and TYPE.NAME for methods
// and fields.
type declared map[string]bool

// addFile notes what a file declares. A type that embeds has TYPE.*.
func (d declared) addFile(file *ast.File) {
	eachDeclaration(file, func(what kind, of, name string) {
		if what == method || what == field {
			name = of + "." + name
		}
		d[name] = true
	})
}

// has reports whether a link leads somewhere. What a type embeds counts where any
// type of the package has it.
func (d declared) has(link string) bool {
	typ, name, isMember := strings.Cut(link, ".")
	if d[link] || !isMember || !d[typ+".*"] {
		return d[link]
	}
	for known := range d {
		if strings.HasSuffix(known, "."+name) {
			return true
		}
	}
	return false
}

// deadLinks returns the links of comments below root that lead nowhere, as FILE:
// LINK.
func deadLinks(root fs.FS) (dead []string, err error) {
	packages, folders := map[string]declared{}, map[string]string{}
	if err := eachFile(root, func(name string, file *ast.File) {
		dir := path.Dir(name)
		if packages[dir] == nil {
			packages[dir] = declared{}
		}
		packages[dir].addFile(file)
		folders[file.Name.Name] = dir
	}); err != nil {
		return nil, err
	}
	err = eachFile(root, func(name string, file *ast.File) {
		for _, group := range file.Comments {
			for _, found := range docLink.FindAllStringSubmatch(group.Text(), -1) {
				own := packages[path.Dir(name)]
				first, rest, _ := strings.Cut(found[1], ".")
				if dir, known := folders[first]; known && !own[first] {
					own, found[1] = packages[dir], rest
				} else if first == strings.ToLower(first) && !own[first] {
					continue // of another module
				}
				if !own.has(found[1]) {
					dead = append(dead, name+": "+found[1])
				}
			}
		}
	})
	slices.Sort(dead)
	return dead, err
}

// A link of a comment to a method leads to one.
func TestLinksOfComments(t *testing.T) {
	t.Parallel()
	dead, err := deadLinks(os.DirFS("."))
	require.NoError(t, err)
	require.Empty(t, dead)

	text := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(body + "\n")} }
	dead, err = deadLinks(fstest.MapFS{
		"gitstore/git/a.go": text("package git\n\ntype Repo struct{ *RefStore }\n\ntype RefStore struct{}\n\n// Move is as [RefStore.Move], not [RefStore.Gone].\nfunc (*RefStore) Move() {}"),
		"hooks/a.go":        text("package hooks\n\n// A is [git.Repo.Move] and [git.Lost.Move], see [os.File.Sync].\ntype A int"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{"gitstore/git/a.go: RefStore.Gone", "hooks/a.go: Lost.Move"}, dead)
}
