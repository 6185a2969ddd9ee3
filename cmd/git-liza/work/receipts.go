package work

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// receipts are the receipts of gates that passed on this machine, kept for
// later merges.
type receipts struct {
	repo  *git.Repo
	mover *mover
}

// receiptAge bounds the age of a receipt that is used again, because the network
// and the machine's programs change with time.
const receiptAge = 24 * time.Hour

// A keptReceipt is the receipt of a gate that passed on this machine in a
// private checkout of exactly its tree.
type keptReceipt struct {
	At      time.Time    `json:"at"`
	Receipt flow.Receipt `json:"receipt"`
	Left    bool         `json:"left"` // the gate changed the checkout, so later gates may need it to run
}

func (rs *receipts) folder() string {
	return filepath.Join(rs.repo.CommonDir(), layout.Private, "receipts")
}

// environment is a hash of what this machine gives to gates, 40 hexadecimal digits.
func (rs *receipts) environment() string {
	host, _ := os.Hostname()
	env := slices.DeleteFunc(proc.Environment(rs.mover.environ, nil), func(kv string) bool { return strings.HasPrefix(kv, "TERM=") })
	slices.Sort(env)
	sum := sha256.New()
	for _, part := range append([]string{runtime.GOOS, runtime.GOARCH, host}, env...) {
		fmt.Fprintf(sum, "%q\n", part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:40]
}

// path returns the file of the receipt of the last of gates. Its name is a
// hash of all known inputs: the tree, the gates that ran in the same checkout
// before, their times and their environment.
func (rs *receipts) path(gates []flow.Gate, tree flow.ObjectID) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", tree, rs.environment())
	for _, g := range gates {
		fmt.Fprintf(sum, "%s %s\n", CommandHash(g.Command), g.Timeout)
	}
	return filepath.Join(rs.folder(), hex.EncodeToString(sum.Sum(nil)))
}

// find returns the receipt of an earlier run of the last of gates that passed on a
// tree. An unreadable receipt counts as none, because the folder may be deleted at
// any time.
func (rs *receipts) find(gates []flow.Gate, tree flow.ObjectID) (kept keptReceipt, found bool) {
	g := gates[len(gates)-1]
	text, err := git.ReadSmall(rs.path(gates, tree))
	if err != nil || json.Unmarshal(text, &kept) != nil {
		return keptReceipt{}, false
	}
	r, age := &kept.Receipt, time.Since(kept.At)
	if age < 0 || age > receiptAge || r.Result != flow.Pass || r.Tree != tree || r.Command != g.Command || r.Environment != rs.environment() {
		return keptReceipt{}, false
	}
	r.Gate = g.Name
	return kept, true
}

// keep stores the receipt of the last of gates, if it passed, and whether it left files
// in the checkout. Inside an agent's session it stores none, because the agent could
// have changed the programs.
func (rs *receipts) keep(gates []flow.Gate, r flow.Receipt, left bool) error {
	if r.Result != flow.Pass || rs.mover.Generation.Spawned() {
		return nil
	}
	if above, doubtful, err := MarksAbove(rs.repo, ""); err != nil || len(above)+len(doubtful) > 0 {
		return err
	}
	text, err := json.Marshal(keptReceipt{time.Now(), r, left})
	if err != nil {
		return err
	}
	rs.drop()
	return git.ReplaceFile(rs.path(gates, r.Tree), text)
}

// drop removes the receipts that are too old.
func (rs *receipts) drop() {
	entries, _ := os.ReadDir(rs.folder())
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > receiptAge {
			_ = os.Remove(filepath.Join(rs.folder(), entry.Name()))
		}
	}
}

// stampOf returns a text that changes when a command has added, changed or removed a
// file of a checkout. Of a file that cannot be read, that is all that it says.
func stampOf(dir string) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintf(sum, "%q\n", path)
			return nil
		}
		if entry.IsDir() {
			fmt.Fprintf(sum, "%q/\n", path)
			return nil
		}
		if info, err := entry.Info(); err == nil {
			fmt.Fprintf(sum, "%q %d %s %d\n", path, info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))
}
