package contracts

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/flow/pattern"
)

// canaryDocument is the document that holds the canary: an entry file points
// at it, so that a session that knows the canary has followed the pointer.
const canaryDocument = "CORE.md"

// canaryPlace is the placeholder for the canary in that document's source.
const canaryPlace = "CANARY"

// CanaryQuestion is the question by which a session shows that it has loaded
// the contract. It holds neither the answer nor its place.
const CanaryQuestion = "What is the canary of the contract that you were told to follow? Answer with it alone, or with NONE. Run no command and open no file for it."

// Canary returns a word that only a session that has read CORE can know, such as
// liza-4f1c-09de-77b2. It is derived from all documents, so each edition has its
// own.
func Canary() string {
	all := sha256.New()
	for _, name := range Names() {
		text, err := documents.ReadFile(name)
		if err != nil {
			panic(err) // embedded
		}
		fmt.Fprintf(all, "%s %d\n%s", name, len(text), text)
	}
	sum := all.Sum(nil)
	return fmt.Sprintf("liza-%x-%x-%x", sum[:2], sum[2:4], sum[4:6])
}

// canaries matches the canary of any edition.
var canaries = pattern.Late(`\bliza(?:-[0-9a-f]{4}){3}\b`)

// FindCanary returns the canary of any edition in a text, preferring this
// edition's. It is "" if there is none.
func FindCanary(text string) string {
	found := canaries().FindAllString(text, -1)
	switch {
	case len(found) == 0:
		return ""
	case slices.Contains(found, Canary()):
		return Canary()
	}
	return found[0]
}
