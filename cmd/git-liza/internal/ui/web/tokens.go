package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// The sizes of what cannot be guessed, in bytes.
const (
	openingSize = 32 // of the token that opens the pages once
	pathSize    = 16 // of the path below which they lie
	formSize    = 16
)

// random returns so many random bytes as hexadecimal digits.
func random(size int) string {
	b := make([]byte, size)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// sameSecret compares in a time that does not depend on where they differ.
func sameSecret(given, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(secret)) == 1
}

// mostOpenings is how many addresses are remembered that were printed. A person prints
// one at a time.
const mostOpenings = 100

// openings are the tokens that were printed. Each opens the pages once.
type openings struct {
	mu   sync.Mutex
	list []opening
}

type opening struct {
	token string
	used  bool
}

// add returns a new token.
func (o *openings) add() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, opening{token: random(openingSize)})
	if n := len(o.list) - mostOpenings; n > 0 {
		o.list = slices.Delete(o.list, 0, n)
	}
	return o.list[len(o.list)-1].token
}

// use reports whether a token is known, and whether it opens the pages now: it does so
// once.
func (o *openings) use(token string) (known, opens bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		if sameSecret(token, o.list[i].token) {
			known, opens = true, !o.list[i].used
			o.list[i].used = true
		}
	}
	return known, opens
}

// The bounds of forms that were handed out and not sent.
const (
	mostForms = 1000
	formAge   = time.Hour
)

// forms are the tokens of forms that can still be sent.
type forms struct {
	mu   sync.Mutex
	live map[string]Form // what each was made for
	made []madeForm      // oldest first; those that were sent are among them
}

type madeForm struct {
	token string
	at    time.Time
}

// add returns the token of a new form. Too old ones and the oldest of too many are
// forgotten.
func (f *forms) add(made Form, now time.Time) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.live == nil {
		f.live = map[string]Form{}
	}
	token := random(formSize)
	f.live[token], f.made = made, append(f.made, madeForm{token, now})
	f.forget(now)
	return token
}

// forget drops the forms that are too old or too many.
func (f *forms) forget(now time.Time) {
	n := 0
	for n < len(f.made) && (len(f.made)-n > mostForms || now.Sub(f.made[n].at) >= formAge) {
		delete(f.live, f.made[n].token)
		n++
	}
	f.made = slices.Delete(f.made, 0, n)
}

// use returns what a form was made for. It is known once; a form that was sent, is too
// old or was never handed out is not.
func (f *forms) use(token string, now time.Time) (made Form, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(now)
	made, known = f.live[token]
	delete(f.live, token)
	return made, known
}
