package planforms

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// idOf makes words an id that a board takes: the same words always give the same id.
func idOf(words ...string) string {
	text := strings.Join(words, "-")
	id := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '-'
	}, text)
	for strings.Contains(id, "..") {
		id = strings.ReplaceAll(id, "..", ".")
	}
	id = strings.Trim(id, ".-_")
	if id == "" || id[0] >= '0' && id[0] <= '9' {
		id = strings.TrimSuffix("t-"+id, "-")
	}
	if strings.HasSuffix(strings.ToLower(id), ".lock") {
		id = id[:len(id)-len(".lock")] + "-lock"
	}
	if len(id) > 64 {
		sum := sha256.Sum256([]byte(text))
		id = strings.TrimRight(id[:55], ".-_") + "-" + hex.EncodeToString(sum[:4])
	}
	return id
}

func taskID(words ...string) flow.TaskID { return flow.TaskID(idOf(words...)) }
