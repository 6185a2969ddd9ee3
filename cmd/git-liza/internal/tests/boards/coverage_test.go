package boards

import (
	"bytes"
	"encoding"
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/torture"
)

// uncovered are the fields that no golden board has, with the reason.
var uncovered = map[string]string{
	"move intent: intent.at":                     "the effect fills it",
	"move handoff: handoff.at":                   "the effect fills it",
	"move handoff: handoff.by":                   "the effect fills it",
	"move edit: input.reopens":                   "only an added task and a converted discovery do work again",
	"move add: update.reopens":                   "only an added task and a converted discovery do work again",
	"move import: tasks.reopens":                 "only an added task and a converted discovery do work again",
	"move supersede: add.reopens":                "only an added task and a converted discovery do work again",
	"move import: plan.at":                       "the effect fills it",
	"move goal: tasks.reopens":                   "only an added task and a converted discovery do work again",
	"move import: update.reopens":                "only an added task and a converted discovery do work again",
	"move goal: loop.iterations_used":            "nothing of a loop is used when it begins",
	"move classify: texts.sections.anchor":       "what somebody stands on a section of is known already",
	"move classify: texts.sections.hash":         "what somebody stands on a section of is known already",
	"move classify: files.class.evidence.line":   "what a person says stands on no line",
	"move classify: files.class.evidence.text":   "what a person says stands on no line",
	"tasks: attempt.doubt":                       "no session of a golden board killed its guard",
	"questions: lease.texts.path":                "only a review has texts",
	"questions: lease.texts.anchor":              "only a review has texts",
	"questions: lease.texts.hash":                "only a review has texts",
	"liza.yaml: config.budgets.session.cost":     "the next golden board records it; story session_loop",
	"liza.yaml: config.budgets.session.tokens":   "the next golden board records it; story session_loop",
	"move amend: config.budgets.session.cost":    "the next golden board records it; story session_loop",
	"move amend: config.budgets.session.tokens":  "the next golden board records it; story session_loop",
	"move config: config.budgets.session.cost":   "the next golden board records it; story session_loop",
	"move config: config.budgets.session.tokens": "the next golden board records it; story session_loop",
	"move init: config.budgets.session.cost":     "the next golden board records it; story session_loop",
	"move init: config.budgets.session.tokens":   "the next golden board records it; story session_loop",
	"move add: tasks.meant":                      "the next golden board records it; story submit_keys",
	"move add: update.meant":                     "the next golden board records it; story submit_keys",
	"move convert: input.meant":                  "the next golden board records it; story submit_keys",
	"move edit: input.meant":                     "the next golden board records it; story submit_keys",
	"move goal: tasks.meant":                     "the next golden board records it; story submit_keys",
	"move import: tasks.meant":                   "the next golden board records it; story submit_keys",
	"move import: update.meant":                  "the next golden board records it; story submit_keys",
	"move supersede: add.meant":                  "the next golden board records it; story submit_keys",
	"tasks: meant":                               "the next golden board records it; story submit_keys",
}

// places are the kinds of documents by the first part of their paths on the board.
var places = map[string]board.Folder{
	"liza.yaml": board.SettingsDoc, "principals.yaml": board.PrincipalsDoc, "breaker.yaml": board.BreakerDoc, "goals": board.Goals,
	"sprints": board.Sprints, "tasks": board.Tasks, "archive": board.Archive, "agents": board.Agents, "anomalies": board.Anomalies,
	"discovered": board.Discovered, "notes": board.Notes, "reviews.yaml": board.ReviewsDoc, "roles": board.RolesFolder,
	"tracked": board.Tracked, "questions": board.Questions, "planned": board.PlannedDocs, "marks": board.MarkDocs, "levels": board.Levels, "outages.yaml": board.OutagesDoc, "workflows": board.Workflows,
}

// Every field is on some golden board, and every act and kind of document on a signed
// and on an unsigned one, so that a change of how one is read, judged or written does
// not go unnoticed. What is new needs a new golden board: see
// testdata/boards/README.md.
func TestGoldenBoardsHaveEverything(t *testing.T) {
	t.Parallel()
	signed, unsigned := map[string]bool{}, map[string]bool{}
	missing := []string{"everything"}
	for _, g := range slices.Backward(goldens) { // the newest have most
		dir, found := unpackBoard(t, g), unsigned
		if g.signed {
			found = signed
		}
		collectMoves(t, dir, found)
		collectDocuments(t, dir, found)
		if missing = absent(t, signed, unsigned); len(missing) == 0 && !torture.Wanted() {
			break
		}
	}
	require.Empty(t, missing, "no golden board has these; record one (testdata/boards/README.md):\n%s", strings.Join(missing, "\n"))
	for field := range uncovered {
		require.Contains(t, everyField(), field, "the table uncovered has a field that there is not")
	}
}

// absent are the fields that neither kind of board has, and the acts and kinds of documents
// that one of them lacks.
func absent(t *testing.T, signed, unsigned map[string]bool) (missing []string) {
	for _, field := range everyField() {
		_, excused := uncovered[field]
		found := signed[field] || unsigned[field]
		switch {
		case excused:
			require.False(t, found, "%s is on a golden board: take it out of the table uncovered", field)
		case !found:
			missing = append(missing, field)
		case strings.HasSuffix(field, ": ") && (!signed[field] || !unsigned[field]):
			missing = append(missing, field+"both signed and unsigned")
		}
	}
	return missing
}

// everyField returns the fields of every act and of every kind of document, such as
// "move claim: saved.commit" and "tasks: claim.by".
func everyField() []string {
	var list []string
	for folder := board.SettingsDoc; board.NewDocument(folder) != nil; folder++ {
		if !slices.Contains(slices.Collect(maps.Values(places)), folder) {
			list = append(list, fmt.Sprintf("a place of folder %d in the table places", folder))
		}
	}
	for _, act := range board.Acts() {
		if act == board.ActMigrate {
			continue // there is one version
		}
		name := "move " + act.String() + ": "
		list = append(list, name)
		listFields(reflect.TypeOf(flow.NewDetail(act)), name, &list)
	}
	move := reflect.TypeFor[flow.Move]()
	for i := range move.NumField() {
		if key := keyOf(move.Field(i)); key != "" {
			list = append(list, "move: "+key)
		}
	}
	for place, folder := range places {
		list = append(list, place+": ")
		if folder == board.Archive {
			continue // an archived task is a task
		}
		listFields(reflect.TypeOf(board.NewDocument(folder)), place+": ", &list)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// partOf is the name of a field. What each act with texts says alike of the class of a
// text is one.
func partOf(path string) string {
	if i := strings.Index(path, "texts.class."); i > 0 {
		return path[i:]
	}
	return path
}

// keyOf is the key of a field.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// listFields adds the plain fields below a type, each with its path.
func listFields(of reflect.Type, path string, list *[]string) {
	switch {
	case of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice:
		listFields(of.Elem(), path, list)
	case of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]() && !reflect.PointerTo(of).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		for i := range of.NumField() {
			key := keyOf(of.Field(i))
			next := path + "." + key
			if strings.HasSuffix(path, ": ") {
				next = path + key
			}
			listFields(of.Field(i).Type, next, list)
		}
	default:
		*list = append(*list, partOf(path))
	}
}

// collectMoves notes the fields of every move of a clone.
func collectMoves(t *testing.T, dir string, found map[string]bool) {
	t.Helper()
	cmd := exec.Command("git", "-C", dir, "log", "--format=%B%x00", layout.State)
	out, err := cmd.Output()
	require.NoError(t, err)
	for message := range strings.SplitSeq(strings.TrimRight(string(out), "\n\x00"), "\x00") {
		_, body, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
		body, _, _ = strings.Cut(body, "-----BEGIN SSH SIGNATURE-----")
		var fields map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(body), &fields), "%s", message)
		name := "move " + fields["act"].(string) + ": "
		found[name] = true
		for key := range fields {
			found["move: "+key] = true
		}
		collectFields(fields, name, found)
	}
}

// collectDocuments notes the fields of every document of every state of a clone.
func collectDocuments(t *testing.T, dir string, found map[string]bool) {
	t.Helper()
	list, err := exec.Command("git", "-C", dir, "rev-list", "--objects", "--filter=object:type=blob", "--filter-provided-objects", layout.State).Output()
	require.NoError(t, err)
	var paths []string
	var ids strings.Builder
	for line := range strings.Lines(string(list)) {
		id, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		paths = append(paths, path)
		ids.WriteString(id + "\n")
	}
	batch := exec.Command("git", "-C", dir, "cat-file", "--batch=%(objectsize)")
	batch.Stdin = strings.NewReader(ids.String())
	out, err := batch.Output()
	require.NoError(t, err)
	for _, path := range paths {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		size, err := strconv.Atoi(string(line))
		require.NoError(t, err)
		collectDocument(t, path, rest[:size], found)
		out = rest[size+1:]
	}
}

// collectDocument notes the fields of one document.
func collectDocument(t *testing.T, path string, text []byte, found map[string]bool) {
	t.Helper()
	place, _, _ := strings.Cut(path, "/")
	require.Contains(t, places, place, "a golden board has documents of a kind that this test does not know")
	var fields map[string]any
	require.NoError(t, yaml.Unmarshal(text, &fields), "%s", path)
	found[place+": "] = true
	if place == "archive" {
		place = "tasks" // git names a document that was archived by its last place
	}
	collectFields(fields, place+": ", found)
}

// collectFields notes the paths of all plain values, and of maps.
func collectFields(value any, path string, found map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		found[path] = true
		for key, below := range value {
			next := path + "." + key
			if strings.HasSuffix(path, ": ") {
				next = path + key
			}
			collectFields(below, next, found)
		}
	case []any:
		found[path] = true
		for _, one := range value {
			collectFields(one, path, found)
		}
	default:
		found[partOf(path)] = true
	}
}
