package work

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/git-liza/git-liza/gitstore/git"
)

// lastAlarms is how much of the end of the memory of alarms [PastAlarms] reads, in bytes.
const lastAlarms = 256 << 10

// PastAlarms returns the last rows of the memory of alarms of a clone, newest first, at most
// so many; none if there is no memory. It takes no lock: a row that is being written is not
// among them.
func PastAlarms(repo *git.Repo, most int) ([]AlarmRow, error) {
	f, err := os.Open(OpenAlarms(repo).path())
	if errors.Is(err, fs.ErrNotExist) {
		return []AlarmRow{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-lastAlarms, 0)
	text, err := io.ReadAll(io.NewSectionReader(f, from, lastAlarms))
	if err != nil {
		return nil, err
	}
	if from > 0 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	rows := append([]AlarmRow{}, parseAlarms(text)...)
	slices.Reverse(rows)
	return rows[:min(len(rows), most)], nil
}
