package stories

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Order returns the stories as they are to be worked on: by their priority, those without
// one last, and otherwise as they stand in the file.
func (f *File) Order() []Story {
	list := slices.Clone(f.Stories)
	slices.SortStableFunc(list, func(x, y Story) int { return cmp.Compare(x.rank(), y.rank()) })
	return list
}

// rank is the place of a story by its priority.
func (s Story) rank() float64 {
	if s.Priority == 0 {
		return math.Inf(1)
	}
	return s.Priority
}

// Text is what the file says of a story but for its criteria: title, description and
// notes.
func (s Story) Text() string {
	text := s.ID + ": " + s.Title
	for _, part := range []string{s.Description, s.Notes} {
		if part = strings.TrimSpace(part); part != "" {
			text += "\n\n" + part
		}
	}
	return text
}
