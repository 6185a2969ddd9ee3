package extension

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
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
		"patterns/house-rule.yaml":    "title: The house says no\nfix: Ask the house.\ntest: house ask\nsigns:\n- {has: house says no, form: \"HOUSE SAYS NO to (\\\\S+)\", weight: strong}\n",
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
	e, wrong := Read(files(nil), nil)
	require.Empty(t, said(wrong))
	require.Equal(t, "house 1.2", e.Name+" "+e.Version)
	require.Equal(t, []flow.Role{"auditor"}, e.Roles())
	require.Equal(t, map[string]int{"artifacts": 1, "patterns": 1, "prompts": 2, "roles": 1, "workflows": 1}, e.Brings())
	for _, c := range []struct {
		more map[string]string
		want string
	}{
		{map[string]string{"extension.yaml": ""}, "extension.yaml:1: file: an extension has a file extension.yaml with its name and version"},
		{map[string]string{"extension.yaml": "name: house\nversion: 1.2\nhooks: {}\n"}, `extension.yaml:3: form: unknown key "hooks"`},
		{map[string]string{"extension.yaml": "name: ../house\nversion: a b\n"}, "extension.yaml:1: name: name: small letters, digits and hyphens, at most 39, the first one a letter, not \"../house\"\nextension.yaml:1: value: version: one word, not \"a b\""},
		{map[string]string{"on/merge": "#!/bin/sh\n"}, "on/merge:1: path: nobody reads it: there are the folders roles, prompts, artifacts, workflows, patterns"},
		{map[string]string{"run.sh": "#!/bin/sh\n"}, "run.sh:1: path: nobody reads it: beside extension.yaml there are the folders roles, prompts, artifacts, workflows, patterns"},
		{map[string]string{"roles/auditor.md": strings.Replace(auditor, "about", "abuot", 1)}, `roles/auditor.md:3: form: unknown key "abuot"; did you mean "about"?`},
		{map[string]string{"roles/auditor.md": ""}, "prompts:1: path: prompt layer extension house 1.2: auditor/role.md is read by nobody; folders are all, question, "},
		{map[string]string{"prompts/coder/ending.md": "x"}, "prompts:1: path: prompt layer extension house 1.2: coder/ending.md is no section; sections are contract, "},
		{map[string]string{"prompts/all/contract.md": "x"}, "prompts:1: path: prompt layer extension house 1.2: all/contract.md would replace the contract"},
		{map[string]string{"artifacts/memo.yaml": ""}, "artifacts/memo.md:1: path: nobody reads it: artifacts has files NAME.yaml"},
		{map[string]string{"artifacts/deep/memo.yaml": "x"}, "artifacts/deep/memo.yaml:1: path: nobody reads it: the files of artifacts lie in no further folder"},
		{map[string]string{"workflows/memos.yaml": "name: memos\nphases: []\n"}, "workflows/memos.yaml:"},
		{map[string]string{"patterns/disk-full.yaml": "title: T\nfix: F\ntest: t\nsigns: [{has: x, weight: weak}]\n"}, "patterns/disk-full.yaml:1: value: a built-in cause has the name disk-full"},
		{map[string]string{"patterns/a.yaml": "title: T\nfix: F\ntest: t\nsigns: [{has: x, form: \"(\", weight: weak}]\n"}, "patterns/a.yaml:1: value: signs[0]: error parsing regexp"},
		{map[string]string{"patterns/a.yaml": "title: T\nfix: F\ntest: t\nsigns: [{has: x, weight: sure}]\n"}, `patterns/a.yaml:1: value: signs[0]: weight is strong, plain, weak or against, not "sure"`},
		{map[string]string{"patterns/a.yaml": "title: T\nsigns: []\nsteps: [rm]\n"}, `patterns/a.yaml:3: form: unknown key "steps"`},
		{map[string]string{"README.md": strings.Repeat("x", MaxFile+1)}, "README.md:1: size: it is larger than 256 KiB"},
	} {
		_, wrong := Read(files(c.more), nil)
		require.Contains(t, said(wrong), c.want)
	}
	link := files(nil)
	link["prompts/all/goal.md"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}
	_, wrong = Read(link, nil)
	require.Equal(t, "prompts/all/goal.md:1: file: it is no regular file", said(wrong))
	many := map[string]string{}
	for i := range MaxFiles {
		many[fmt.Sprintf("prompts/coder/%d.md", i)] = "x"
	}
	_, wrong = Read(files(many), nil)
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
	list, err := List(project, nil)
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
	none, err := List(fstest.MapFS{}, nil)
	require.NoError(t, err)
	require.Empty(t, none)
}
