package gitstore

import (
	"fmt"
	"testing"

	"github.com/git-liza/git-liza/internal/gittest"
)

// BenchmarkSignedMove is what a signature adds to a move within a process.
func BenchmarkSignedMove(b *testing.B) {
	for _, principal := range []string{"nobody", "host"} {
		b.Run(fmt.Sprint("principal=", principal), func(b *testing.B) {
			d := bigDesk(b, 10, 0)
			d.keep("host", testKey(1))
			for b.Loop() {
				d.do(said(principal, "hello"))
			}
		})
	}
}

// BenchmarkSignature is signing and checking alone.
func BenchmarkSignature(b *testing.B) {
	d := newDesk(b, gittest.Seeded(b))
	host := d.keep("host", testKey(1))
	r := d.replay(d.do(said("host", "hello")).Commit)
	for b.Loop() {
		if err := d.store.Audit.CheckSignature(r, host); err != nil {
			b.Fatal(err)
		}
	}
}
