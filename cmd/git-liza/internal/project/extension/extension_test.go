package extension

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

const auditor = "---\ncapacity: judges\nabout: audits\ntools: [read]\n---\n\n# Role: auditor\n\nAudit.\n"

// files are those of an extension that uses every kind of content.
func files(more map[string]string) fstest.MapFS {
	from := fstest.MapFS{}
	for name, text := range map[string]string{
		"extension.yaml":              "name: house\nversion: \"1.2\"\nabout: how we write\n",
		"README.md":                   "Ours.\n",
		"roles/auditor.md":            auditor,
		"prompts/auditor/role.md":     "You audit.\n",
		"prompts/coder/end.append.md": "Be brief.\n",
		"artifacts/memo.yaml":         "name: memo\nabout: a memo\nformat: markdown\nschema: {type: object, properties: {type: {const: memo}}}\nheadings: []\n",
		"artifacts/memo.md":           "---\ntype: memo\n---\n",
		"patterns/house-rule.yaml":    "title: The house says no\nfix: Ask the house.\ntest: house ask\nstrong: [\"HOUSE SAYS NO to (\\\\S+)\"]\n",
		"skills/tidy/SKILL.md":        "---\nname: tidy\ndescription: how we tidy\n---\nTidy.\n",
		"gates.yaml":                  "- {name: lint, command: ./lint, at: submit, paths: [\"**/*.go\"]}\n- {name: slow, command: ./slow, optional: true, timeout: 20m}\n",
		"providers.yaml":              "- {name: house-agent, binary: house, output: plain, env: [HOUSE_*]}\n",
		"launchers.yaml":              "- {name: big, engine: podman, image: house, memory: 8g}\n",
		"workflows/memos.yaml":        "name: memos\nabout: a memo first\nphases:\n- name: WRITE\n  about: write it\n  roles: [coder]\n  artifacts:\n  - {type: memo, path: \"memos/{goal}.md\"}\n- name: CODE\n  about: do it\n",
	} {
		from[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range more {
		delete(from, name)
		if text != "" {
			from[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return from
}

// said are all faults of an extension, a line each.
func said(wrong []File) string {
	var lines []string
	for _, f := range wrong {
		for _, one := range f.Faults {
			lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", f.Path, one.Line, one.Code, one.Text))
		}
	}
	return strings.Join(lines, "\n")
}

func TestRead(t *testing.T) {
	t.Parallel()
	e, wrong := Read(files(nil), Base{})
	require.Empty(t, said(wrong))
	require.Equal(t, "house 1.2", e.Name+" "+e.Version)
	require.Equal(t, []board.Role{"auditor"}, e.Roles())
	require.Equal(t, map[string]int{"artifacts": 1, "gates.yaml": 2, "launchers.yaml": 1, "patterns": 1, "prompts": 2, "providers.yaml": 1, "roles": 1, "skills": 1, "workflows": 1}, e.Brings())
	for _, c := range []struct {
		more map[string]string
		want string
	}{
		{map[string]string{"extension.yaml": ""}, "extension.yaml:1: file: an extension has a file extension.yaml with its name and version"},
		{map[string]string{"extension.yaml": "name: house\nversion: 1.2\nhooks: {}\n"}, `extension.yaml:3: form: unknown key "hooks"`},
		{map[string]string{"extension.yaml": "name: ../house\nversion: a b\n"}, "extension.yaml:1: name: name: small letters, digits and hyphens, at most 39, the first one a letter, not \"../house\"\nextension.yaml:1: value: version: one word, not \"a b\""},
		{map[string]string{"extension.yaml": "name: house\nversion: 1\nneeds: {format: 99}\n"}, fmt.Sprintf("extension.yaml:1: value: it needs format 99, and this git-liza knows %d: a newer one is needed", board.NewestFormat)},
		{map[string]string{"prompts/qa/role.md": "x"}, "prompts/qa/role.md:1: path: it is read by nobody; folders are all, question, "},
		{map[string]string{"on/merge": "#!/bin/sh\n"}, "on/merge:1: file: it cannot be executed: chmod +x"},
		{map[string]string{"on/merged": "#!/bin/sh\n"}, "on/merged:1: path: there is no such act: on has programs that are called after add, finalize, "},
		{map[string]string{"on/lib/x": "x"}, "on/lib/x:1: path: nobody reads it: the files of on lie in no further folder"},
		{map[string]string{"after/merge": "x"}, "after/merge:1: path: nobody reads it: there are the folders roles, prompts, artifacts, workflows, patterns, skills, on"},
		{map[string]string{"run.sh": "#!/bin/sh\n"}, "run.sh:1: path: nobody reads it: beside extension.yaml there are gates.yaml, providers.yaml, launchers.yaml and the folders roles, prompts, artifacts, workflows, patterns, skills, on"},
		{map[string]string{"roles/auditor.md": strings.Replace(auditor, "about", "abuot", 1)}, `roles/auditor.md:3: form: unknown key "abuot"; did you mean "about"?`},
		{map[string]string{"roles/auditor.md": ""}, "prompts/auditor/role.md:1: path: it is read by nobody; folders are all, question, "},
		{map[string]string{"prompts/coder/ending.md": "x"}, "prompts/coder/ending.md:1: path: it is no section; sections are contract, "},
		{map[string]string{"prompts/coder/a.md": "x", "prompts/coder/b.md": "x"}, "prompts/coder/b.md:1: path: it is no section"},
		{map[string]string{"prompts/coder/goal.md": "a\nb {{if}}\n"}, "prompts/coder/goal.md:2: path: it is no template: missing value for if"},
		{map[string]string{"prompts/coder/goal.md": "a\nb {{.Task.Title}} {{.Task.Done}}\n"}, "prompts/coder/goal.md:2: path: it asks for .Task.Done, and a Task has no Done"},
		{map[string]string{"prompts/coder/goal.md": strings.Repeat("x", 64<<10+1)}, "prompts/coder/goal.md:1: path: it is larger than 64 KiB"},
		{map[string]string{"prompts/coder/goal.md": "\xff"}, "prompts/coder/goal.md:1: path: it is not UTF-8"},
		{map[string]string{"extension.yaml": "name: house\nversion: 1\nneeds: {format: -1, extensions: [house]}\n"}, "extension.yaml:1: cycle: it needs itself\nextension.yaml:1: value: needs: formats begin with 1, there is no format -1"},
		{map[string]string{"prompts/all/contract.md": "x"}, "prompts/all/contract.md:1: path: it would replace the contract"},
		{map[string]string{"skills/liza-testing/SKILL.md": "x"}, "skills/liza-testing/SKILL.md:1: name: a built-in document has the name liza-testing"},
		{map[string]string{"skills/Tidy/SKILL.md": "x"}, "skills/Tidy/SKILL.md:1: path: nobody reads it: a skill is"},
		{map[string]string{"skills/tidy.md": "x"}, "skills/tidy.md:1: path: nobody reads it: a skill is the file skills/NAME/SKILL.md"},
		{map[string]string{"gates.yaml": "- {name: lint}\n"}, `gates.yaml:1: form: a gate needs a name of its own, a command and a timeout: "lint"`},
		{map[string]string{"gates.yaml": "- {name: lint, command: a, when: b}\n"}, `gates.yaml:1: form: unknown key "when"`},
		{map[string]string{"providers.yaml": "- {name: claude, binary: evil, output: plain}\n"}, "providers.yaml:1: form: there is a provider claude already"},
		{map[string]string{"providers.yaml": "- {name: mine, output: plain}\n"}, "providers.yaml:1: form: liza.provider.mine.binary: a provider needs a program"},
		{map[string]string{"providers.yaml": "- {name: mine, binary: a, output: plain, usage: all}\n"}, `providers.yaml:1: form: mine: usage: "all" is none of [run session cost]`},
		{map[string]string{"providers.yaml": "- {name: ../mine, binary: a, output: plain}\n"}, `providers.yaml:1: form: no provider is named "../mine"`},
		{map[string]string{"launchers.yaml": "- {name: auto, image: a}\n"}, `launchers.yaml:1: form: a launcher has a name of its own, not "auto"`},
		{map[string]string{"launchers.yaml": "- {name: big}\n- {name: big}\n"}, "launchers.yaml:1: form: two launchers are named big"},
		{map[string]string{"artifacts/memo.yaml": ""}, "artifacts/memo.md:1: path: nobody reads it: artifacts has files NAME.yaml"},
		{map[string]string{"artifacts/deep/memo.yaml": "x"}, "artifacts/deep/memo.yaml:1: path: nobody reads it: the files of artifacts lie in no further folder"},
		{map[string]string{"workflows/memos.yaml": "name: memos\nphases: []\n"}, "workflows/memos.yaml:"},
		{map[string]string{"workflows/memos.yaml": "name: memos\nabout: a\nphases:\n- name: WRITE\n  about: b\n  roles: [specter]\n"}, "workflows/memos.yaml:6: role: there is no role specter"},
		{map[string]string{"workflows/memos.yaml": "name: memos\nabout: a\nphases:\n- name: WRITE\n  about: b\n  roles: [auditor]\n  artifacts: [{type: memo, path: \"{goal}.md\"}]\n"}, "workflows/memos.yaml:"},
		{map[string]string{"workflows/memos.yaml": "name: memos\nabout: a\nphases:\n- name: WRITE\n  about: b\n  artifacts: [{type: phantom, path: \"{goal}.md\"}]\n"}, "workflows/memos.yaml:6: type: there is no type phantom"},
		{map[string]string{"patterns/disk-full.yaml": "title: T\nfix: F\ntest: t\nweak: [x]\n"}, "patterns/disk-full.yaml:1: value: a built-in cause has the name disk-full"},
		{map[string]string{"patterns/a.yaml": "title: T\nfix: F\ntest: t\nweak: [\"x(\"]\n"}, "patterns/a.yaml:1: value: error parsing regexp"},
		{map[string]string{"patterns/a.yaml": "title: T\nfix: F\ntest: t\nweak: [x]\nsteps:\n- {command: [rm], risk: safe, why: w, undo: u}\n"}, "patterns/a.yaml:1: value: only built-in causes have an area and steps"},
		{map[string]string{"patterns/a.yaml": "title: T\nsigns: []\n"}, `patterns/a.yaml:2: form: unknown key "signs"`},
		{map[string]string{"README.md": strings.Repeat("x", MaxFile+1)}, "README.md:1: size: it is larger than 256 KiB"},
	} {
		_, wrong := Read(files(c.more), Base{})
		require.Contains(t, said(wrong), c.want)
	}
	script := files(nil)
	script["on/merge"] = &fstest.MapFile{Data: []byte("#!/bin/sh\r\necho\r\n"), Mode: 0o755}
	_, wrong = Read(script, Base{})
	require.Equal(t, "on/merge:1: file: its first line ends with a carriage return, so that no system finds what runs it", said(wrong))
	script["on/merge"] = &fstest.MapFile{Data: []byte("#!/bin/sh\necho\r\n"), Mode: 0o755}
	_, wrong = Read(script, Base{})
	require.Empty(t, said(wrong))
	link := files(nil)
	link["prompts/all/goal.md"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}
	_, wrong = Read(link, Base{})
	require.Equal(t, "prompts/all/goal.md:1: file: it is no regular file", said(wrong))
	many := map[string]string{}
	for i := range MaxFiles {
		many[fmt.Sprintf("prompts/coder/%d.md", i)] = "x"
	}
	_, wrong = Read(files(many), Base{})
	require.Contains(t, said(wrong), "an extension has at most 500 files")
}

// TestList puts extensions behind those that they need, and uses none with which
// something is wrong.
func TestList(t *testing.T) {
	t.Parallel()
	project := fstest.MapFS{}
	for name, needs := range map[string]string{"a": "[c]", "b": "[]", "c": "[]", "d": "[gone]", "e": "[f]", "f": "[e]"} {
		project[Folder+"/"+name+"/extension.yaml"] = &fstest.MapFile{Data: []byte("name: " + name + "\nversion: \"1\"\nneeds: {extensions: " + needs + "}\n")}
	}
	project[Folder+"/other/extension.yaml"] = &fstest.MapFile{Data: []byte("name: b\nversion: \"1\"\n")}
	list, err := List(project, Base{})
	require.NoError(t, err)
	var names []string
	wrong := ""
	for _, e := range list {
		names = append(names, e.Name)
		if len(e.Wrong) > 0 {
			wrong += e.Name + " " + said(e.Wrong) + "\n"
		}
	}
	require.Equal(t, []string{"b", "c", "d", "other", "a", "e", "f"}, names)
	require.Equal(t, `d extension.yaml:1: missing: it needs the extension gone, which is not there
other extension.yaml:1: name: its folder has its name: .liza/extensions/b
e extension.yaml:1: cycle: it needs f, and so itself
f extension.yaml:1: cycle: it needs e, and so itself
`, wrong)
	for text, want := range map[string]string{"c\nb\n": "[d other c b a e f]", "a d\nc": "[b other d c a e f]"} {
		project[Folder+"/order"] = &fstest.MapFile{Data: []byte(text)}
		list, err := List(project, Base{})
		require.NoError(t, err)
		names = nil
		for _, e := range list {
			names = append(names, e.Name)
		}
		require.Equal(t, want, fmt.Sprint(names))
	}
	for text, want := range map[string]string{"b\ngone\n": "names the extension \"gone\", which is not there", "b b": "names the extension b twice"} {
		project[Folder+"/order"] = &fstest.MapFile{Data: []byte(text)}
		_, err := List(project, Base{})
		require.ErrorContains(t, err, Folder+"/order "+want)
	}
	delete(project, Folder+"/order")
	project[Folder+"/link"] = &fstest.MapFile{Data: []byte("../../a"), Mode: fs.ModeSymlink | 0o777}
	list, err = List(project, Base{})
	require.NoError(t, err)
	i := slices.IndexFunc(list, func(e Installed) bool { return e.Name == "link" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, "extension.yaml:1: file: an extension is a folder, no link and no submodule", said(list[i].Wrong))
	project[Folder+"/"+Half+"1/extension.yaml"] = &fstest.MapFile{Data: []byte("name: a\n")} // add was killed
	again, err := List(project, Base{})
	require.NoError(t, err)
	require.Len(t, again, len(list))
	for _, mode := range []fs.FileMode{0o644, fs.ModeSymlink | 0o777} {
		_, err = List(fstest.MapFS{Folder: {Data: []byte("../x"), Mode: mode}}, Base{})
		require.ErrorContains(t, err, "extensions lie in the folder .liza/extensions: it is no folder")
	}
	none, err := List(fstest.MapFS{}, Base{})
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestRolesOfOthers lets an extension have prompts for the roles that are built in, that
// the board has, and that an extension brings which it needs, but not for those of others.
func TestRolesOfOthers(t *testing.T) {
	t.Parallel()
	project := fstest.MapFS{}
	add := func(name, needs string, roles, prompts []string) {
		folder := Folder + "/" + name + "/"
		project[folder+"extension.yaml"] = &fstest.MapFile{Data: []byte("name: " + name + "\nversion: \"1\"\nneeds: {extensions: [" + needs + "]}\n")}
		for _, role := range roles {
			project[folder+"roles/"+role+".md"] = &fstest.MapFile{Data: []byte(auditor)}
		}
		for _, role := range prompts {
			project[folder+"prompts/"+role+"/end.append.md"] = &fstest.MapFile{Data: []byte("x\n")}
		}
	}
	add("ground", "", []string{"auditor"}, nil)
	add("house", "ground", nil, []string{"auditor", "librarian", "qa"})
	add("roof", "house", nil, []string{"auditor"})
	add("stranger", "", nil, []string{"auditor"})
	list, err := List(project, Base{Roles: []board.RoleRow{{Name: "qa"}}})
	require.NoError(t, err)
	for _, e := range list {
		if e.Name == "stranger" {
			require.Contains(t, said(e.Wrong), "auditor/end.append.md:1: path: it is read by nobody")
			continue
		}
		require.Empty(t, said(e.Wrong), e.Name)
		faults, err := e.Layer(e.FS).Faults()
		require.NoError(t, err)
		require.Empty(t, faults, e.Name)
	}
	alone, err := fs.Sub(project, Folder+"/roof")
	require.NoError(t, err)
	_, wrong := ReadBeside(alone, list, Base{})
	require.Empty(t, said(wrong))
	_, wrong = ReadBeside(alone, nil, Base{})
	require.NotEmpty(t, said(wrong))
}

// A few trees of a commit can be folders without number, in which there is no file.
func TestReadBoundsFolders(t *testing.T) {
	t.Parallel()
	from := files(nil)
	for i := range maxFolders {
		from[fmt.Sprintf("prompts/coder/%d", i)] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	}
	_, wrong := Read(from, Base{})
	require.Contains(t, said(wrong), "extension.yaml:1: limit: an extension has at most 2000 folders")
}
