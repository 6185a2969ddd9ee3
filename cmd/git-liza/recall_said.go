package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/recall"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
)

// The sources of what is recalled.
const (
	movesSource    = "move"
	sessionsSource = "session"
	filesSource    = "file"
)

// A saying reads what was said on a board and beside it, without the secrets, for a search.
type saying struct {
	look
	ctx    context.Context
	mask   *secret.Mask
	search *recall.Search
}

// read reads one source, or all for "".
func (s *saying) read(source string) error {
	for _, one := range []struct {
		name string
		read func() error
	}{{movesSource, s.readMoves}, {sessionsSource, s.readSessions}, {filesSource, s.readFiles}} {
		if source != "" && source != one.name {
			continue
		}
		if err := one.read(); err != nil {
			return err
		}
	}
	return s.reading.Board.Err()
}

func (s *saying) add(e recall.Entry) {
	e.Title, e.Text = s.mask.String(e.Title), s.mask.String(e.Text)
	s.search.Add(e)
}

func (s *saying) readMoves() error {
	return s.clone.Store.Log(s.reading.Tip, func(e gitstore.Event) (bool, error) {
		s.add(recall.Entry{Source: movesSource, ID: string(e.Commit), Task: string(e.Move.Task), At: e.Move.At,
			Title: plaintext.Line(e.Move.Subject()), Text: strings.Join(wordsOf(e.Move), "\n")})
		return true, s.ctx.Err()
	})
}

// wordsOf are the texts of a move, each once, but not ids of objects.
func wordsOf(m flow.Move) (list []string) {
	for _, text := range flow.TextsOf(m.Detail) {
		var id git.ID
		if !slices.Contains(list, text) && id.UnmarshalText([]byte(text)) != nil {
			list = append(list, text)
		}
	}
	return list
}

// What is read of the outputs of sessions: of so many, the newest, so many bytes of the end.
const (
	mostOutputs = 500
	mostSaid    = 16 << 10
)

func (s *saying) readSessions() error {
	list, err := gitstore.Sessions(s.ctx, s.clone.Repo, gitstore.SessionFilter{})
	if err != nil {
		return err
	}
	for i, rec := range list {
		said := ""
		if i < mostOutputs {
			said = s.output(rec.ID)
		}
		title := []string{"session of", string(rec.Agent), string(rec.Task), rec.Outcome}
		s.add(recall.Entry{Source: sessionsSource, ID: string(rec.ID), Task: string(rec.Task), At: rec.Ended,
			Title: strings.Join(slices.DeleteFunc(title, func(word string) bool { return word == "" }), " "),
			Text:  strings.TrimSpace(rec.Error + "\n" + rec.Ending + "\n" + said)})
	}
	return s.ctx.Err()
}

// output is the end of what a session printed, "" if it cannot be read.
func (s *saying) output(id git.ID) string {
	rec, _, output, err := gitstore.Session(s.ctx, s.clone.Repo, id)
	if err != nil {
		return ""
	}
	said := readable(rec.Format, output)
	if n := len(said) - mostSaid; n > 0 {
		said = strings.ToValidUTF8(said[n:], "")
	}
	return said
}

// mostRecalledFile bounds a file that is read, in bytes.
const mostRecalledFile = 1 << 20

// sourcesFolder has what a project refers to, as it was found.
const sourcesFolder = ".liza/sources"

// readFiles reads the specs, artifacts, lessons and sources on integration.
func (s *saying) readFiles() error {
	files, err := work.OpenTextFiles(s.ctx, s.clone, s.reading.Board.Settings().Integration.Tip)
	if err != nil {
		return err
	}
	paths, err := s.paths(files)
	if err != nil {
		return err
	}
	for _, path := range paths {
		data, why, err := files.Read(path, mostRecalledFile)
		if err != nil {
			return err
		}
		if why == "" && len(data) <= mostRecalledFile && !slices.Contains(data, 0) {
			s.readFile(path, string(data))
		}
	}
	return s.ctx.Err()
}

func (s *saying) paths(files *work.TextFiles) ([]string, error) {
	d, err := readDefinitions(s.ctx, s.clone)
	if err != nil {
		return nil, err
	}
	folders, others := d.folders(), []string{lesson.Folder, sourcesFolder}
	if !slices.Contains(folders, "") { // which is every file
		folders = append(folders, others...)
	}
	paths, err := files.List(s.ctx, folders...)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return d.at(path).kind == nil && !isBelow(others, path) })
	paths = append(paths, lists.Of(flow.QueryTexts(s.reading.Board), func(text flow.TextQuery) string { return text.Path })...)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// readFile reads a file by its sections, from heading to heading.
func (s *saying) readFile(path, data string) {
	heading, from, number := "", 1, 0
	var section strings.Builder
	add := func() {
		if text := strings.TrimSpace(section.String()); text != "" {
			s.add(recall.Entry{Source: filesSource, ID: path + ":" + strconv.Itoa(from), Title: strings.TrimSpace(path + " " + heading), Text: board.Clean(text)})
		}
		section.Reset()
	}
	for line := range strings.Lines(data) {
		number++
		if strings.HasPrefix(line, "#") {
			add()
			heading, from = strings.TrimSpace(strings.TrimLeft(line, "#")), number
			continue
		}
		section.WriteString(line)
	}
	add()
}
