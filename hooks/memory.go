package hooks

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// defaultMemory is how many bytes a judgement and each git process of it may take
// where liza.server.memory is not set.
const defaultMemory = 2 << 30

// Memory is how many bytes a judgement and each git process of it may take:
// `git config liza.server.memory`, 2 GiB by default.
func Memory(ctx context.Context, r *git.Repo) (uint64, error) {
	text, err := r.Config.Config(ctx, "liza.server.memory")
	if err != nil || text == "" {
		return defaultMemory, err
	}
	digits := strings.TrimRight(strings.ToLower(text), "kmg")
	shift := map[string]int{"": 0, "k": 10, "m": 20, "g": 30}
	by, known := shift[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || !known || n == 0 {
		return 0, &SettingError{"liza.server.memory", fmt.Sprintf("%q; it is a number of bytes such as 512m or 2g", text), "2g"}
	}
	return n << by, nil
}
