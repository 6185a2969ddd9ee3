package planforms

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore/document"
)

var update = flag.Bool("update", false, "write testdata anew")

// treeOf is the files of an archive below a folder.
func treeOf(files []txtar.File) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, file := range files {
		tree[file.Name] = &fstest.MapFile{Data: file.Data}
	}
	return tree
}

// told is all that is read of a folder: the plan in our form, then what is left, finished
// and wrong.
func told(tree fs.FS, within, base string, onBoard func(board.TaskID) bool) string {
	f, err := Read(tree, within, base)
	var none *Error
	if errors.As(err, &none) {
		return fmt.Sprintf("refused: %s\ntry: %s\n", none.Reason, strings.Join(none.Try, ", "))
	}
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	f.Settle(onBoard)
	var out strings.Builder
	fmt.Fprintf(&out, "system: %s\nfeature: %s\n", f.Report.System, f.Plan.Feature)
	for i := range f.Plan.Tasks {
		text, err := document.Encode(&f.Plan.Tasks[i])
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&out, "# %s:%d\n%s", f.TaskFile(i), f.TaskLine(i), text)
	}
	for _, one := range f.Report.Left {
		fmt.Fprintf(&out, "left %s:%d: %s: %s\n", one.File, one.Line, one.What, one.Why)
	}
	for _, one := range f.Report.Finished {
		fmt.Fprintf(&out, "finished %s:%d: %s: %s: %s\n", one.File, one.Line, one.Task, one.Title, one.Why)
	}
	_, faults := plan.Link(&f.Plan, onBoard)
	for i := range f.Plan.Tasks {
		for _, r := range flow.Describe(f.Plan.Tasks[i].TaskInput) {
			faults = append(faults, plan.Fault{Code: plan.Code(r.Rule), Place: plan.Place{Task: i, Entry: -1}, Reason: r.Reason})
		}
	}
	wrong, _ := f.Locate(faults)
	for _, one := range wrong {
		fmt.Fprintf(&out, "wrong %s:%d: %s: %s\n", one.File, one.Line, one.Code, one.Reason)
	}
	return out.String()
}

// Each archive is a tree; its file "want" is what is read of it. The first line of the
// comment is the folder that is read, from the root of the repository, and a file of it.
func TestTrees(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(strings.TrimSuffix(path.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(archive.Comment), "\n")
			words := append(strings.Fields(first), "")
			want := ""
			if last := len(archive.Files) - 1; archive.Files[last].Name == "want" {
				want = string(archive.Files[last].Data)
				archive.Files = archive.Files[:last]
			}
			var tree fs.FS = treeOf(archive.Files)
			if words[0] != "." {
				tree, err = fs.Sub(tree, words[0])
				require.NoError(t, err)
			}
			got := told(tree, words[0], words[1], nil)
			if *update {
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o666))
				return
			}
			require.Equal(t, want, got)
			require.Equal(t, got, told(tree, words[0], words[1], nil), "the same bytes give the same plan")
		})
	}
}
