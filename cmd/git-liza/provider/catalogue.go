package provider

import (
	_ "embed"
	"sync"

	"github.com/git-liza/git-liza/gitstore"
)

// A Catalogue is the providers that are known, in the order in which they are
// shown.
type Catalogue []Row

//go:embed catalogue.yaml
var builtin []byte

var rows = sync.OnceValue(func() (c Catalogue) {
	if err := gitstore.Decode("catalogue.yaml", builtin, &c); err != nil {
		panic(err) // a test reads it
	}
	return c
})

// Builtin is the catalogue as it is built in.
func Builtin() Catalogue { return rows() }
