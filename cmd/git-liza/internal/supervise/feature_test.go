package supervise_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/internal/torture"
)

// A feature is the small product of testdata/feature.txtar, on a board of its own. Agents
// of the provider script make it by its plan, each task in as long as is estimated.
type feature struct {
	*world
	plan     string // the file of the plan
	tasks    []plannedTask
	playbook playbook.Playbook
	content  map[string]string // of the product's files, by path
}

// A plannedTask holds what a test reads of a task in the plan.
type plannedTask struct {
	ID       board.TaskID   `yaml:"id"`
	Level    int            `yaml:"level"`
	Estimate board.Duration `yaml:"estimate"`
	Files    struct {
		Create []string `yaml:"create"`
	} `yaml:"files"`
}

// newFeature reads plan and product. What edit changes of them is what the agents do.
func newFeature(t *testing.T, edit func(*feature)) *feature {
	t.Helper()
	f := &feature{world: newEmptyWorld(t), content: map[string]string{}}
	archive, err := txtar.ParseFile("testdata/feature.txtar")
	require.NoError(t, err)
	f.plan = filepath.Join(f.notes, "plan.yaml")
	for _, file := range archive.Files {
		if begin, ok := strings.CutPrefix(file.Name, "begin/"); ok {
			require.NoError(t, f.mkdir(filepath.Dir(begin)))
			f.write(filepath.Join(f.dir, begin), string(file.Data))
		}
		f.content[file.Name] = string(file.Data)
	}
	var plan struct {
		Tasks []plannedTask `yaml:"tasks"`
	}
	require.NoError(t, document.DecodeLoose("plan.yaml", []byte(f.content["plan.yaml"]), &plan))
	f.tasks = plan.Tasks
	f.playbook.Checks = []playbook.Check{{Name: "tests", Run: "sh scripts/test.sh $LIZA_TASK", Issue: "its test fails"}}
	for _, task := range f.tasks {
		r := recipe(string(task.ID))
		r.Run = fmt.Sprintf("sleep %g", time.Duration(task.Estimate).Seconds())
		for _, path := range task.Files.Create {
			r.Write = append(r.Write, playbook.File{Path: playbook.Path(path), Content: f.content["product/"+path]})
		}
		f.playbook.Work = append(f.playbook.Work, playbook.Work{Task: task.ID, Attempts: []playbook.Recipe{r}})
	}
	if edit != nil {
		edit(f)
	}
	f.write(f.plan, f.content["plan.yaml"])
	text, err := document.Encode(&f.playbook)
	require.NoError(t, err)
	f.write(filepath.Join(f.dir, playbook.DefaultPath), string(text))
	f.git("init", "-q")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "A spec for bag, and what its agents do")
	f.liza("init", "bag", "--spec", "specs/bag.md")
	f.git("config", "liza.trust.planner", "true")
	f.clone = f.open()
	f.liza("plan", "import", f.plan)
	f.gate("whole", "level", `sh scripts/test.sh && test -z "$(sed -n 's/^\([a-z_]*\)() .*/\1 stands twice/p' lib/*.sh | sort | uniq -d | tee /dev/stderr)"`)
	return f
}

// recipe is a commit with an intent of few words.
func recipe(what string) playbook.Recipe {
	return playbook.Recipe{Intent: playbook.Intent{Summary: what, Validation: "its test"}, Message: what}
}

// work is what the playbook has of a task.
func (f *feature) work(id board.TaskID) *playbook.Recipe {
	i := slices.IndexFunc(f.playbook.Work, func(w playbook.Work) bool { return w.Task == id })
	return &f.playbook.Work[i].Attempts[0]
}

// coders is how many agents work at once, which is what the simulation is asked for.
const coders = 4

// rushes runs `git liza rush` as a process of its own until nothing is left to do.
func (f *feature) rushes(args ...string) (said string, took time.Duration, err error) {
	f.Helper()
	cmd := exec.Command(self, append([]string{"rush", "--until-idle", "--provider", "script", "--reviewers", "2"}, args...)...)
	cmd.Dir = f.dir
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	return string(out), time.Since(begun), err
}

// simulated is how long `plan show` says that the agents take, level by level, if each task
// takes so much longer than is estimated. An estimate has whole seconds: here one of them
// stands for a millisecond.
func (f *feature) simulated(longer time.Duration) time.Duration {
	f.Helper()
	text := regexp.MustCompile(`estimate: \S+`).ReplaceAllStringFunc(f.content["plan.yaml"], func(line string) string {
		estimate, err := time.ParseDuration(strings.TrimPrefix(line, "estimate: "))
		require.NoError(f, err)
		return fmt.Sprintf("estimate: %ds", (estimate + longer).Milliseconds())
	})
	path := filepath.Join(f.notes, "simulated.yaml")
	f.write(path, text)
	var shown struct {
		Data struct {
			Barrier struct {
				Runs []struct{ Seconds int }
			}
		}
	}
	require.NoError(f, json.Unmarshal([]byte(f.liza("plan", "show", path, "--json", "--agents", fmt.Sprint(coders))), &shown))
	require.Len(f, shown.Data.Barrier.Runs, 1)
	return time.Duration(shown.Data.Barrier.Runs[0].Seconds) * time.Millisecond
}

// overhead measures what a task costs beside its work: a coder's session, a review and a
// merge, each by agents that have nothing else to do. It takes a tenth of ten in a row.
func overhead(t *testing.T) time.Duration {
	t.Helper()
	const tasks = 10
	f := newFeature(t, func(f *feature) {
		before, after, _ := strings.Cut(f.content["plan.yaml"], "  - id: ")
		list := strings.Split(after, "\n  - id: ")[:tasks]
		f.content["plan.yaml"] = before + "  - id: " + strings.Join(list, "\n  - id: ") + "\n"
		f.tasks = f.tasks[:tasks]
		for _, task := range f.tasks {
			f.work(task.ID).Run = ""
		}
	})
	said, _, err := f.rushes("--planners", "0", "--coders", "1")
	require.NoError(t, err, said)
	begun, ended := f.moves(board.ActClaim)[0].At, f.moves(board.ActMerge)[tasks-1].At
	return ended.Sub(begun) / tasks
}

// tells prints how long the feature took beside what is simulated.
func (f *feature) tells(took, each time.Duration) (ratio float64) {
	want := f.simulated(each)
	ratio = float64(took) / float64(want)
	f.Logf("%d tasks by %d coders took %.1f s; simulated: %.1f s, with %.2f s more for each task %.1f s; ratio %.2f",
		len(f.tasks), coders, took.Seconds(), f.simulated(0).Seconds(), each.Seconds(), want.Seconds(), ratio)
	return ratio
}

// complete requires that all is merged, level by level, and that the product works.
func (f *feature) complete(said string) {
	f.Helper()
	b := f.board()
	for _, task := range f.tasks {
		require.Equal(f, board.Merged, b.Task(task.ID).Status, "%s: %s", task.ID, said)
	}
	f.left()
	f.keepsLevels()
	out := filepath.Join(f.notes, "integration")
	f.git("worktree", "add", "-q", "--detach", out, "integration")
	cmd := exec.Command("sh", "scripts/test.sh")
	cmd.Dir = out
	text, err := cmd.CombinedOutput()
	require.NoError(f, err, string(text))
	require.Contains(f, string(text), "24 tests, 0 failed")
	require.Regexp(f, `^\d+ moves replayed, the board is sound\n$`, f.liza("fsck", "--full"))
}

// keepsLevels requires of the moves that no task was claimed before the level below its own
// had passed.
func (f *feature) keepsLevels() {
	f.Helper()
	level := map[board.TaskID]int{}
	for _, task := range f.tasks {
		level[task.ID] = task.Level
	}
	passed := 0
	for _, m := range f.history() {
		switch d := m.Detail.(type) {
		case *flow.LevelMove:
			if d.Receipts[0].Result == board.Pass {
				require.Equal(f, passed+1, d.Level)
				passed++
			}
		case *flow.ClaimMove:
			require.LessOrEqual(f, level[m.Task], passed+1, m.Task)
		}
	}
	require.Equal(f, 4, passed)
}

// All goes well: the agents take about as long as the simulation says.
func TestTortureFeature(t *testing.T) {
	torture.Only(t)
	each := overhead(t)
	f := newFeature(t, nil)
	said, took, err := f.rushes("--planners", "0", "--coders", fmt.Sprint(coders))
	require.NoError(t, err, said)
	f.complete(said)
	require.NotContains(t, f.liza("metrics"), "an hour", "its agents use no tokens")
	ratio := f.tells(took, each)
	if torture.Thorough() {
		require.Less(t, ratio, 1.25)
	}
}

// One agent crashes, one hangs, one's verification fails twice and then passes, and one
// writes outside its files: each is tried again, and the feature is complete in the end.
func TestTortureFeatureWithFailures(t *testing.T) {
	torture.Only(t)
	f := newFeature(t, func(f *feature) {
		f.content["plan.yaml"] = strings.Replace(f.content["plan.yaml"], "verify: sh scripts/test.sh sum\n", "verify: sh '"+f.notes+"/fails' 2 && sh scripts/test.sh sum\n", 1)
	})
	f.write(filepath.Join(f.notes, "fails"), `for n in $(seq $1); do
	if mkdir "$0-$n" 2>/dev/null; then echo "the service does not answer yet"; exit 1; fi
done
`)
	f.git("config", "liza.idle", "1m")     // no task is silent for so long, on a slow machine either
	f.git("config", "liza.confine", "off") // where it is on no session becomes a built-in agent, and these note what they did outside
	f.liza("config", "retry.base", "1s")
	path := f.scriptOf(`case $LIZA_TASK in
number) if test ! -e "$notes/crashed"; then touch "$notes/crashed"; kill -9 $$; fi ;;
title) if test ! -e "$notes/hung"; then touch "$notes/hung"; exec sleep 1000; fi ;;
page)
	if test ! -e "$notes/strayed"; then touch "$notes/strayed"; intent; echo "not mine" >MANUAL.md; git add MANUAL.md; git commit -q -m stray
	else intent; git rm -q --ignore-unmatch MANUAL.md; git diff --cached --quiet || git commit -q -m "take it back"; fi ;;
esac
exec git liza script-agent`)
	said, took, err := f.rushes("--planners", "0", "--coders", fmt.Sprint(coders), "--provider", "coder="+shell(path))
	require.NoError(t, err, said)
	f.complete(said)
	f.tells(took, 0)
	failed := map[board.TaskID]string{}
	for _, m := range f.moves(board.ActSession) {
		failed[m.Task] += m.Detail.(*flow.SessionMove).Error
	}
	maps.DeleteFunc(failed, func(_ board.TaskID, why string) bool { return why == "" })
	require.Equal(t, []board.TaskID{"number", "page", "sum", "title"}, slices.Sorted(maps.Keys(failed)))
	require.Contains(t, failed["number"], "exit 137")
	require.Contains(t, failed["title"], "without output")
	require.Contains(t, failed["page"], "MANUAL.md")
	require.Equal(t, 2, strings.Count(failed["sum"], "the service does not answer yet"))
	log := f.liza("log")
	for id, why := range failed {
		first, _, _ := strings.Cut(why, "\n")
		require.Regexp(t, "session "+string(id)+" by coder-[1-4]: .*"+regexp.QuoteMeta(first[:min(len(first), 40)]), log)
	}
}

// What one task of a level leaves is found by the gate of the level alone. It fails until
// the task that a planner adds is merged.
func TestTortureFeatureWithALevelThatFails(t *testing.T) {
	torture.Only(t)
	f := newFeature(t, func(f *feature) {
		good := f.work("tail").Write[0]
		f.work("tail").Write[0].Content += f.content["product/lib/number.sh"]
		mend := recipe("mend")
		mend.Intent.TestsNotNeeded = "the gate is the test"
		mend.Write = []playbook.File{good}
		f.playbook.Work = append(f.playbook.Work, playbook.Work{Task: "mend", Attempts: []playbook.Recipe{mend}})
		f.playbook.Plan = []board.TaskInput{{ID: "mend", Title: "One number", DoneWhen: "no name stands twice", Spec: "specs/bag.md", Scope: "lib/tail.sh",
			Level: 2, Owns: []string{"lib/tail.sh"}, Verify: "sh scripts/test.sh tail"}}
		f.playbook.Checks[0].Run = "sh scripts/test.sh"
	})
	said, took, err := f.rushes("--coders", fmt.Sprint(coders))
	require.NoError(t, err, said)
	f.complete(said)
	f.tells(took, 0)
	require.Contains(t, said, "level 2 of goal-1 failed by ")
	require.Contains(t, said, "planner-1 added mend\n")
	require.NotContains(t, said, "leaves to a human")
	require.Equal(t, board.Merged, f.task("mend").Status)
	failed := 0
	for _, m := range f.moves(board.ActLevel) {
		if receipt := m.Detail.(*flow.LevelMove).Receipts[0]; receipt.Result == board.Fail {
			failed++
			require.Contains(t, receipt.Output, "number stands twice")
		}
	}
	require.Equal(t, 1, failed)
}
