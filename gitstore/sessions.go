package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The bounds of one session, in bytes: of longer texts the beginning and the
// end are kept.
const (
	MaxPrompt = 256 << 10
	MaxOutput = 1 << 20
	maxWords  = 4 << 10 // an error, an ending

	maxSessionCommit = 16 << 10
	maxSessionTree   = 1 << 10 // it has three files
)

// The files of a session's tree.
const (
	recordFile = "record.yaml"
	promptFile = "prompt.md"
	outputFile = "output.txt"
)

// A SessionRecord describes a session of an agent and its end. The supervisor has
// masked the secrets in its texts.
type SessionRecord struct {
	ID         git.ID           `yaml:"-"` // its commit, once it is saved
	Agent      board.AgentID    `yaml:"agent"`
	Generation board.Generation `yaml:"generation"` // of the agent's registration
	Role       board.Role       `yaml:"role"`
	Task       board.TaskID     `yaml:"task"`   // "" for a planner
	Commit     git.ID           `yaml:"commit"` // the reviewed one
	Provider   string           `yaml:"provider"`
	Model      string           `yaml:"model"`
	Format     string           `yaml:"format"` // of the output: a family of transcripts
	Dir        string           `yaml:"dir"`
	Confined   string           `yaml:"confined"` // what the kernel kept it to: full, files or none
	Began      time.Time        `yaml:"began"`
	Ended      time.Time        `yaml:"ended"`
	Outcome    string           `yaml:"outcome"` // one of flow.SessionOutcomes
	Ending     string           `yaml:"ending"`  // how it ended, as text
	Session    string           `yaml:"session"` // the id that the provider gave it
	Usage      board.Usage      `yaml:"usage"`
	Denied     []string         `yaml:"denied"`  // tools that it was denied
	Refused    string           `yaml:"refused"` // what its last move, or its report, was refused for, if it came to nothing
	Error      string           `yaml:"error"`
	PromptSize int64            `yaml:"prompt_bytes,keep"` // before it was cut
	OutputSize int64            `yaml:"output_bytes,keep"`
}

func (s SessionRecord) ref() string { return s.Agent.SessionRef(s.Generation) }

// saveTries is how often a session is saved again when another session was
// saved under the same registration, which should not happen.
const saveTries = 5

// SaveSession saves a session that has ended, with its prompt and its output,
// after the earlier sessions of the registration. Long texts are cut in the
// middle. The board does not change. The error wraps git.ErrRefMoved if others
// kept saving under the same registration.
func SaveSession(ctx context.Context, r *git.Repo, rec SessionRecord, prompt, output []byte) (git.ID, error) {
	generation, child := strings.CutSuffix(string(rec.Generation), ".child")
	if err := new(board.Generation).UnmarshalText([]byte(generation)); err != nil || rec.Agent.Role() == "" {
		return "", fmt.Errorf("a session is saved under an agent and its generation, not under %q and %q", rec.Agent, rec.Generation)
	}
	if child {
		rec.Generation = board.Generation(generation)
	}
	rec.cutText(len(prompt), len(output))
	for try := 1; ; try++ {
		id, err := saveSession(ctx, r, rec, cutMiddle(prompt, MaxPrompt), cutMiddle(output, MaxOutput))
		if !errors.Is(err, git.ErrRefMoved) || try == saveTries {
			return id, err
		}
	}
}

func saveSession(ctx context.Context, r *git.Repo, rec SessionRecord, prompt, output []byte) (git.ID, error) {
	last, err := r.Refs.Resolve(ctx, rec.ref())
	if err != nil {
		return "", err
	}
	o := r.Objects(ctx)
	encoded, err := document.Encode(&rec)
	if err != nil {
		return "", fmt.Errorf("record of a session: %w", err)
	}
	var entries []git.Entry
	for _, file := range []struct {
		name string
		data []byte
	}{{recordFile, encoded}, {promptFile, prompt}, {outputFile, output}} {
		blob, err := o.WriteBlob(file.data)
		if err != nil {
			return "", err
		}
		entries = append(entries, git.Entry{Mode: git.ModeBlob, Name: file.name, ID: blob})
	}
	tree, err := o.WriteTree(entries)
	if err != nil {
		return "", err
	}
	header, err := agentHeader(ctx, r, rec.Agent, rec.Ended)
	if err != nil {
		return "", err
	}
	if last != "" {
		header = "parent " + string(last) + "\n" + header
	}
	id, err := o.WriteCommit(fmt.Appendf(nil, "tree %s\n%s\n%s\n", tree, header, rec.subject()))
	if err != nil {
		return "", err
	}
	if err := o.Flush(); err != nil {
		return "", err
	}
	return id, r.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: rec.ref(), Old: last, New: id}}, rec.subject())
}

func (s *SessionRecord) subject() string {
	on := ""
	if s.Task != "" {
		on = " on " + string(s.Task)
	}
	return fmt.Sprintf("session of %s%s: %s", s.Agent, on, s.Outcome)
}

// cutText shortens the texts so that the record fits into a document.
func (s *SessionRecord) cutText(prompt, output int) {
	s.Began, s.Ended = s.Began.UTC().Truncate(time.Second), s.Ended.UTC().Truncate(time.Second)
	for _, text := range []*string{&s.Provider, &s.Model, &s.Format, &s.Dir, &s.Outcome, &s.Ending, &s.Session, &s.Refused, &s.Error} {
		*text = board.Excerpt(*text, maxWords)
	}
	s.Usage = s.Usage.Bounded()
	s.Denied = slices.Clone(s.Denied[:min(len(s.Denied), board.MaxList)])
	for i, tool := range s.Denied {
		s.Denied[i] = board.Excerpt(tool, 500)
	}
	s.PromptSize, s.OutputSize = max(s.PromptSize, int64(prompt)), max(s.OutputSize, int64(output))
}

// cutMiddle keeps the beginning and the end of a text within a limit, with a
// line between them that says how much is missing.
func cutMiddle(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	const room = 64 // for the line
	half := (limit - room) / 2
	head, tail := half, len(text)-half
	for head > half-utf8.UTFMax && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text)-half+utf8.UTFMax && !utf8.RuneStart(text[tail]) {
		tail++
	}
	line := fmt.Sprintf("\n[… %d bytes left out …]\n", tail-head)
	return slices.Concat(text[:head], []byte(line), text[tail:])
}
