package work

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// receipts are the receipts of gates that passed in this process. No file has them: a
// session could write it.
type receipts struct {
	repo  *git.Repo
	mover *mover
	kept  *sync.Map // of keptReceipt by key, which all actors of a process share
}

// receiptAge bounds the age of a receipt that is used again, because the network
// and the machine's programs change with time.
const receiptAge = 24 * time.Hour

// A keptReceipt is the receipt of a gate that passed in a private checkout of exactly its
// tree.
type keptReceipt struct {
	at      time.Time
	receipt board.Receipt
	left    bool // the gate changed the checkout, so later gates may need it to run
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

// keyOf is a hash of all known inputs of the last of gates: the tree, the gates that ran
// in the same checkout before, their times and their environment.
func (rs *receipts) keyOf(gates []board.Gate, tree board.ObjectID) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", tree, rs.environment())
	for _, g := range gates {
		fmt.Fprintf(sum, "%s %s\n", CommandHash(g.Command), g.Timeout)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// find returns the receipt of an earlier run of the last of gates that passed on a tree.
func (rs *receipts) find(gates []board.Gate, tree board.ObjectID) (kept keptReceipt, found bool) {
	one, found := rs.kept.Load(rs.keyOf(gates, tree))
	if !found || time.Since(one.(keptReceipt).at) > receiptAge {
		return keptReceipt{}, false
	}
	kept = one.(keptReceipt)
	kept.receipt.Gate = gates[len(gates)-1].Name
	return kept, true
}

// keep keeps the receipt of the last of gates, if it passed, and whether it left files in
// the checkout.
func (rs *receipts) keep(gates []board.Gate, r board.Receipt, left bool) {
	if r.Result == board.Pass {
		rs.kept.Store(rs.keyOf(gates, r.Tree), keptReceipt{time.Now(), r, left})
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
