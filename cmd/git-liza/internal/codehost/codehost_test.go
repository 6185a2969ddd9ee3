package codehost

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of the verdicts of an account the last one stands, whatever its case, unless it was
// dismissed; nothing that it replaced comes back. Comments do not replace verdicts.
func TestStandings(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 1, 17, 14, minute, 0, 0, time.UTC) }
	review := func(minute int, id, account, state string) Review {
		return Review{Account: account, ID: id, State: state, Commit: "c", At: at(minute), Body: "B"}
	}
	for _, test := range []struct {
		name    string
		reviews []Review
		stand   string // the ids that stand, in their order
	}{
		{"the last", []Review{review(1, "a", "h/bob", ChangesRequested), review(2, "b", "h/bob", Approved)}, "b"},
		{"by time, not by place", []Review{review(2, "b", "h/bob", Approved), review(1, "a", "h/bob", ChangesRequested)}, "b"},
		{"of each account", []Review{review(1, "a", "h/bob", Approved), review(2, "b", "h/eve", ChangesRequested)}, "a b"},
		{"case", []Review{review(1, "a", "h/bob", Approved), review(2, "b", "h/BOB", ChangesRequested)}, "b"},
		{"another host", []Review{review(1, "a", "h/bob", Approved), review(2, "b", "i/bob", ChangesRequested)}, "a b"},
		{"dismissed", []Review{review(1, "a", "h/bob", Approved), review(2, "b", "h/bob", Dismissed)}, ""},
		{"given again", []Review{review(1, "a", "h/bob", Dismissed), review(2, "b", "h/bob", Approved)}, "b"},
		{"a comment", []Review{review(1, "a", "h/bob", Approved), review(2, "b", "h/bob", Commented)}, "a b"},
		{"not submitted", []Review{review(1, "a", "h/bob", Approved), review(2, "b", "h/bob", Pending)}, "a"},
		{"twice", []Review{review(1, "a", "h/bob", Approved), review(1, "a", "h/bob", Approved)}, "a"},
	} {
		var stand []string
		for _, one := range Standings(test.reviews) {
			if one.Why == "" {
				stand = append(stand, one.ID)
			}
		}
		require.Equal(t, test.stand, strings.Join(stand, " "), test.name)
	}
}

// Whatever a text says, what is read of it obeys no terminal, names an account by the host
// of its https URL, and has a state.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"reviews":[{"id":"a","state":"APPROVED","author":{"login":"bob"},"body":"x","submittedAt":"2026-01-17T14:00:00Z","commit":{"oid":"c"}}],"url":"https://h/o/r/pull/1"}`))
	f.Add([]byte(`[[{"id":1,"state":"COMMENTED","html_url":"https://h/1","user":{"login":"eve"},"body":"\u001b[2J\u202e"}]] [{"pull_request_review_id":1,"path":"p","line":2,"body":"b","user":{"login":"eve"}}]`))
	f.Add([]byte(`{"iid":3,"web_url":"https://h/3","sha":"c","Notes":[{"id":1,"body":"n","author":{"username":"u"},"position":{"head_sha":"c","new_path":"p","new_line":null,"old_line":4}}]} {"approved_by":[{"user":{"username":"u","id":1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Read(data)
		if err != nil {
			require.Empty(t, x.Reviews)
			return
		}
		for _, r := range Standings(x.Reviews) {
			require.NotEmpty(t, r.State)
			require.NotEmpty(t, r.ID)
			require.True(t, strings.HasPrefix(r.URL, "https://") || strings.HasPrefix(strings.ToLower(r.URL), "https://"), r.URL)
			for _, text := range append([]string{r.Body}, bodies(r.Comments)...) {
				require.NotContains(t, text, "\x1b")
				require.NotContains(t, text, "\u202e")
			}
		}
	})
}

func bodies(list []Comment) (texts []string) {
	for _, c := range list {
		texts = append(texts, c.Body, c.Path)
	}
	return texts
}
