package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// configuredAsGit compares the configuration of a repository with what git lists, byte
// for byte, and reports whether git need not be asked.
func configuredAsGit(t *testing.T, dir string) bool {
	t.Helper()
	at, err := locate(dir)
	if err != nil {
		at, _, err = locateByGit(context.Background(), dir)
	}
	require.NoError(t, err)
	reading := configReading{gitDir: at.gitDir, commonDir: at.commonDir}
	git, _ := findProgram()
	git.ask(context.Background(), dir)
	reading.system = git.System
	if err := reading.readAll(); err != nil {
		require.ErrorIs(t, err, errAskGit)
		t.Log(err)
		return false
	}
	theirs, err := newRepo(at, program{}).Git(context.Background(), listConfig...)
	require.NoError(t, err)
	require.Equal(t, string(theirs), string(reading.list()))
	return true
}

func TestConfigurationOfKinds(t *testing.T) {
	t.Parallel()
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, configuredAsGit(t, make(t).Dir))
		})
	}
}

// configTexts are texts of a file, and whether git need not be asked what they say.
var configTexts = map[string]bool{
	"":                                true,
	"[a]\n\tb = c\n":                  true,
	"[A \"B.c\"]\n\tD-e = F\n":        true,
	"[A.B.c]\nd=e":                    true,
	"[a] b = c\n[a]b=d":               true,
	"[a \"x \\\"y\\\\z\\q\"]\nb = c":  true,
	"[a \"\"]\nb = c":                 true,
	"[a\t \"x\"]\nb = c":              true,
	"[\"x\"]\nb = c":                  false,
	"[a ]\nb = c":                     false,
	"[a \"x\" ]\nb = c":               false,
	"[a \"x\ny\"]\nb = c":             false,
	"[a \"x\"\nb = c":                 false,
	"[a_b]\nc = d":                    false,
	"[]\nc = d":                       false,
	"[a":                              false,
	"a = b\n":                         false,
	"[a]\n1b = c":                     false,
	"[a]\nb_c = d":                    false,
	"[a]\nb c = d":                    false,
	"[a]\nb\n\tc\n":                   true,
	"[a]\nb":                          true,
	"[a]\nb \t\n":                     true,
	"[a]\nb # c\n":                    false,
	"[a]\nb =\n":                      true,
	"[a]\nb = \"\"\n":                 true,
	"[a]\nb = \" c \" \n":             true,
	"[a]\nb = c  d   e  \n":           true,
	"[a]\nb = c\td\n":                 false,
	"[a]\nb = \"c\td\"\n":             true,
	"[a]\nb = c \t\n":                 true,
	"[a]\nb = \"c\" d \"e\"f\n":       true,
	"[a]\nb = \"c\n":                  false,
	"[a]\nb = \"c\\\nd\"\n":           true,
	"[a]\nb = c \\\n  d\n":            true,
	"[a]\nb = c\\\n":                  true,
	"[a]\nb = c \\\n":                 true,
	"[a]\nb = c\\":                    true,
	"[a]\nb = \\\n\\\n c\n":           true,
	"[a]\nb = c\\\r\nd\r\n":           true,
	"[a]\nb = \\t\\n\\b\\\\\\\"\n":    true,
	"[a]\nb = \\x\n":                  false,
	"[a]\nb = \\\"c\\\"\n":            true,
	"[a]\nb = c ; d\n":                true,
	"[a]\nb = c# d\n":                 true,
	"[a]\nb = \"c # d\" # e \\\nf\n":  true,
	"[a]\nb = #\n":                    true,
	"# [a]\n; b\n[a] # c\nd = e\n":    true,
	"[a]\r\nb = c\r\n\r\nd\r\n":       true,
	"[a]\nb = c\rd\n":                 false,
	"[a]\nb = \"c\rd\"\n":             true,
	"[a]\rb = c\r":                    true,
	"\xef\xbb\xbf[a]\nb = c\n":        true,
	"\xef\xbb[a]\nb = c\n":            false,
	"[a]\n\xef\xbb\xbfb = c\n":        false,
	"[a]\nb = ü\u00a0\xff\n":          true,
	"[a \"Ü\"]\nb = c\n":              true,
	"[ü]\nb = c\n":                    false,
	"[a]\nb = c\x00d\n":               false,
	"[a]\nb = c\x0bd\x0c\n":           true,
	"[a]\n\x0bb = c\n":                false,
	"[a]\nb = c\nb = d\n[A]\nB = e\n": true,
	"[a.]\nb = c\n":                   true,
	"[.a]\nb = c\n":                   true,
	"[a \"x\"] b = c\n":               true,
	"[a]\nb = = c\n":                  true,
	"[a]\nb=\n=c\n":                   false,
}

func TestConfigTexts(t *testing.T) {
	t.Parallel()
	for text, inProcess := range configTexts {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			require.Equal(t, inProcess, readAsGit(t, text), "%q", text)
		})
	}
}

// readAsGit compares a text with what git reads of it, and reports whether git need not
// be asked.
func readAsGit(t *testing.T, text string) bool {
	lines, err := parseConfigText([]byte(text))
	if err != nil {
		require.ErrorIs(t, err, errAskGit)
		return false
	}
	var ours []byte
	for _, line := range lines {
		ours = line.render(ours)
	}
	path := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	p := newProcess(context.Background(), gitLimit, []string{"config", "--file", path, "--null", "--list"})
	defer p.cancel()
	theirs, err := p.run()
	require.NoError(t, err, "%q", text)
	require.Equal(t, string(theirs), string(ours), "%q", text)
	return true
}

// What is read of any text is what git reads of it.
func FuzzConfigText(f *testing.F) {
	for text := range configTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 4<<10 {
			readAsGit(t, text)
		}
	})
}

// A configCase is files and variables; DIR stands for the repository, HOME for the home
// folder.
type configCase struct {
	files     map[string]string
	env       []string
	inProcess bool
}

const (
	one   = "[a]\n\tone = 1\n"
	two   = "[a]\n\ttwo = 2\n"
	usual = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
)

var configCases = map[string]configCase{
	"all files, in git's order":              {map[string]string{"HOME/system": one, "HOME/.config/git/config": two, "HOME/.gitconfig": one}, nil, true},
	"no file of the user":                    {nil, nil, true},
	"of XDG_CONFIG_HOME":                     {map[string]string{"HOME/x/git/config": two, "HOME/.config/git/config": one}, []string{"XDG_CONFIG_HOME=HOME/x"}, true},
	"XDG_CONFIG_HOME is empty":               {map[string]string{"HOME/.config/git/config": one}, []string{"XDG_CONFIG_HOME="}, true},
	"XDG_CONFIG_HOME is no path":             {nil, []string{"XDG_CONFIG_HOME=x"}, false},
	"HOME is empty":                          {nil, []string{"HOME="}, true},
	"HOME is no path":                        {nil, []string{"HOME=x"}, false},
	"no HOME":                                {nil, []string{"HOME"}, true},
	"GIT_CONFIG_GLOBAL":                      {map[string]string{"HOME/.gitconfig": one, "HOME/mine": two}, []string{"GIT_CONFIG_GLOBAL=HOME/mine"}, true},
	"GIT_CONFIG_GLOBAL is none":              {map[string]string{"HOME/.gitconfig": one}, []string{"GIT_CONFIG_GLOBAL=/dev/null/none"}, true},
	"GIT_CONFIG_GLOBAL, empty":               {map[string]string{"HOME/.gitconfig": one}, []string{"GIT_CONFIG_GLOBAL="}, false},
	"GIT_CONFIG_GLOBAL, a device":            {map[string]string{"HOME/.gitconfig": one}, []string{"GIT_CONFIG_GLOBAL=/dev/null"}, false},
	"GIT_CONFIG_SYSTEM":                      {map[string]string{"HOME/s": one}, []string{"GIT_CONFIG_SYSTEM=HOME/s"}, true},
	"GIT_CONFIG_SYSTEM, empty":               {nil, []string{"GIT_CONFIG_SYSTEM="}, false},
	"GIT_CONFIG_NOSYSTEM":                    {map[string]string{"HOME/s": one}, []string{"GIT_CONFIG_SYSTEM=HOME/s", "GIT_CONFIG_NOSYSTEM=Yes"}, true},
	"GIT_CONFIG_NOSYSTEM, off":               {map[string]string{"HOME/s": one}, []string{"GIT_CONFIG_SYSTEM=HOME/s", "GIT_CONFIG_NOSYSTEM=0"}, true},
	"GIT_CONFIG_NOSYSTEM, empty":             {map[string]string{"HOME/s": one}, []string{"GIT_CONFIG_SYSTEM=HOME/s", "GIT_CONFIG_NOSYSTEM="}, true},
	"GIT_CONFIG_NOSYSTEM, a number":          {map[string]string{"HOME/s": one}, []string{"GIT_CONFIG_SYSTEM=HOME/s", "GIT_CONFIG_NOSYSTEM=2k"}, true},
	"GIT_CONFIG_NOSYSTEM, odd":               {nil, []string{"GIT_CONFIG_NOSYSTEM=perhaps"}, false},
	"own files, enabled by a number":         {map[string]string{"DIR/.git/config": usual + "[extensions]\nworktreeConfig = 0x10\n", "DIR/.git/config.worktree": one}, nil, true},
	"GIT_CONFIG":                             {map[string]string{"HOME/mine": two}, []string{"GIT_CONFIG=HOME/mine"}, false},
	"GIT_CONFIG_COUNT":                       {nil, []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=A.B c.D", "GIT_CONFIG_VALUE_0=", "GIT_CONFIG_KEY_1=a.b", "GIT_CONFIG_VALUE_1= x\ny "}, true},
	"GIT_CONFIG_COUNT, empty":                {nil, []string{"GIT_CONFIG_COUNT="}, true},
	"GIT_CONFIG_COUNT, too high":             {nil, []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c"}, false},
	"GIT_CONFIG_COUNT, odd":                  {nil, []string{"GIT_CONFIG_COUNT=+1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c"}, false},
	"GIT_CONFIG_COUNT, no key":               {nil, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a", "GIT_CONFIG_VALUE_0=c"}, false},
	"GIT_CONFIG_COUNT, bad key":              {nil, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a_b.c", "GIT_CONFIG_VALUE_0=c"}, false},
	"GIT_CONFIG_PARAMETERS":                  {nil, []string{"GIT_CONFIG_PARAMETERS='a.b'='c d' 'A.x=y.Z'=''", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=e"}, false},
	"GIT_CONFIG_PARAMETERS, two":             {nil, []string{"GIT_CONFIG_PARAMETERS='a.b'='c d' 'A.x y.Z'=''", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=e"}, true},
	"GIT_CONFIG_PARAMETERS, old":             {nil, []string{"GIT_CONFIG_PARAMETERS='a.b=c d'"}, false},
	"GIT_CONFIG_PARAMETERS, without a value": {nil, []string{"GIT_CONFIG_PARAMETERS='a.b'="}, false},
	"GIT_CONFIG_PARAMETERS, quotes":          {nil, []string{`GIT_CONFIG_PARAMETERS='a.b'='c'\''d'`}, false},
	"GIT_CONFIG_PARAMETERS, a quote inside":  {nil, []string{`GIT_CONFIG_PARAMETERS='a.b'='c'\'' '\''d'`}, false},
	"own files of worktrees":                 {map[string]string{"DIR/.git/config": usual + "[extensions]\nworktreeConfig = on\n", "DIR/.git/config.worktree": one}, nil, true},
	"own files, not there":                   {map[string]string{"DIR/.git/config": usual + "[extensions]\nworktreeConfig\n"}, nil, true},
	"own files, not enabled":                 {map[string]string{"DIR/.git/config.worktree": one}, nil, true},
	"own files, disabled":                    {map[string]string{"DIR/.git/config": usual + "[extensions]\nworktreeConfig = false\n", "DIR/.git/config.worktree": one}, nil, true},
	"own files, enabled by an included file": {map[string]string{"DIR/.git/config": usual + "[include]\npath = more\n", "DIR/.git/more": "[extensions]\nworktreeConfig = true\n", "DIR/.git/config.worktree": one}, nil, true},
	"includes":                               {map[string]string{"HOME/.gitconfig": "[include]\npath = more\n[x]\ny = z\n[Include]\nPATH = ~/two\n", "HOME/more": one, "HOME/two": two}, nil, true},
	"includes what is not there":             {map[string]string{"HOME/.gitconfig": "[include]\npath = more\n" + one}, nil, true},
	"includes a folder":                      {map[string]string{"HOME/.gitconfig": "[include]\npath = more\n" + one, "HOME/more/x": one}, nil, false},
	"includes by an absolute path":           {map[string]string{"HOME/.gitconfig": "[include]\npath = HOME/more\n" + one, "HOME/more": two}, nil, true},
	"includes from a folder":                 {map[string]string{"HOME/.gitconfig": "[include]\npath = a/../b/more\n", "HOME/b/more": "[include]\npath = last\n", "HOME/b/last": one, "HOME/a/x": ""}, nil, true},
	"includes itself":                        {map[string]string{"HOME/.gitconfig": "[include]\npath = .gitconfig\n"}, nil, false},
	"includes no path":                       {map[string]string{"HOME/.gitconfig": "[include]\npath\n"}, nil, false},
	"includes somebody's":                    {map[string]string{"HOME/.gitconfig": "[include]\npath = ~root/x\n"}, nil, false},
	"includes what git was built by":         {map[string]string{"HOME/.gitconfig": "[include]\npath = %(prefix)/x\n"}, nil, false},
	"includes in a subsection":               {map[string]string{"HOME/.gitconfig": "[include \"x\"]\npath = more\n", "HOME/more": one}, nil, true},
	"includes, damaged":                      {map[string]string{"HOME/.gitconfig": "[include]\npath = more\n", "HOME/more": "[a\n"}, nil, false},
	"the environment includes":               {map[string]string{"HOME/more": one}, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=include.path", "GIT_CONFIG_VALUE_0=HOME/more"}, true},
	"the environment includes, relative":     {map[string]string{"HOME/more": one}, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=include.path", "GIT_CONFIG_VALUE_0=more"}, false},
	"if gitdir, below":                       {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:DIR/\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, itself":                      {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:DIR/.git\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, the work tree":               {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:DIR\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, part of a name":              {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:DIR/.gi\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, elsewhere":                   {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:/none/\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, at home":                     {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:~/\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, not at home":                 {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:~/work/\"]\npath = more\n", "HOME/more": one}, nil, true},
	"if gitdir, linked home":                 {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:~/\"]\npath = HOME/more\n", "HOME/more": one}, []string{"HOME=HOME.link"}, true},
	"if gitdir, through a link":              {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:HOME.link/\"]\npath = HOME/more\n", "HOME/more": one}, nil, false},
	"if gitdir, no path":                     {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:DIR/\"]\npaths = more\n", "HOME/more": one}, nil, true},
	"if gitdir, a pattern":                   {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:/**/\"]\npath = more\n", "HOME/more": one}, nil, false},
	"if gitdir, a part":                      {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir:repo/\"]\npath = more\n", "HOME/more": one}, nil, false},
	"if gitdir, in any case":                 {map[string]string{"HOME/.gitconfig": "[includeIf \"gitdir/i:DIR/\"]\npath = more\n", "HOME/more": one}, nil, false},
	"if onbranch":                            {map[string]string{"HOME/.gitconfig": "[includeIf \"onbranch:main\"]\npath = more\n", "HOME/more": one}, nil, false},
	"if hasconfig":                           {map[string]string{"HOME/.gitconfig": "[includeIf \"hasconfig:remote.*.url:x\"]\npath = more\n", "HOME/more": one}, nil, false},
	"if nothing":                             {map[string]string{"HOME/.gitconfig": "[includeIf]\npath = more\n", "HOME/more": one}, nil, true},
	"a damaged file":                         {map[string]string{"HOME/.gitconfig": "[a\n"}, nil, false},
	"a folder":                               {map[string]string{"HOME/.gitconfig/x": ""}, nil, false},
	"a key before any section":               {map[string]string{"HOME/.gitconfig": "a = b\n"}, nil, false},
}

// The repository lies in the home folder, as many do.
func TestConfigurationOfSources(t *testing.T) {
	for name, one := range configCases {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "src", "repo")
			require.NoError(t, os.Mkdir(filepath.Dir(dir), 0o777))
			require.NoError(t, os.Rename(gittest.Seeded(t), dir))
			require.NoError(t, os.Symlink(home, home+".link"))
			placed := strings.NewReplacer("HOME.link", home+".link", "HOME/", home+"/", "DIR", dir)
			for _, unset := range []string{"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"} {
				t.Setenv(unset, "")
				require.NoError(t, os.Unsetenv(unset))
			}
			t.Setenv("HOME", home)
			t.Setenv("GIT_CONFIG_SYSTEM", filepath.Join(home, "system"))
			for _, kv := range one.env {
				name, value, set := strings.Cut(kv, "=")
				t.Setenv(name, strings.ReplaceAll(strings.NewReplacer("HOME.link", home+".link", "HOME/", home+"/").Replace(value), "DIR", dir))
				if !set {
					require.NoError(t, os.Unsetenv(name))
				}
			}
			for path, text := range one.files {
				gittest.Write(t, "/", placed.Replace(path), placed.Replace(text))
			}
			require.Equal(t, one.inProcess, configuredAsGit(t, dir))
		})
	}
}

// Without a variable that names another, git's own file for all users counts.
func TestSystemConfiguration(t *testing.T) {
	dir := gittest.Seeded(t)
	require.NoError(t, os.Unsetenv("GIT_CONFIG_NOSYSTEM"))
	t.Cleanup(func() { os.Setenv("GIT_CONFIG_NOSYSTEM", "1") })
	require.True(t, configuredAsGit(t, dir))
	at, err := locate(dir)
	require.NoError(t, err)
	require.ErrorIs(t, (&configReading{gitDir: at.gitDir, commonDir: at.commonDir}).readAll(), errAskGit)
}

// A change of any file that counts is noticed, also of one that was not there.
func TestConfigurationIsRenewed(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "include.path", "more")
	r, ctx := open(t, dir), context.Background()
	for _, text := range []string{"", "[a]\nb = c\n", "[a]\nb = longer\n", ""} {
		if text != "" {
			gittest.Write(t, dir, ".git/more", text)
		} else {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git/more")))
		}
		r.Config.Renew()
		value, err := r.Config.Config(ctx, "a.b")
		require.NoError(t, err)
		require.True(t, r.Config.whole)
		require.Equal(t, strings.TrimSuffix(strings.TrimPrefix(text, "[a]\nb = "), "\n"), value)
	}
}

// All values of a key are those that git has now, whether the files are read in process or
// git is asked, also after a change of an included file.
func TestConfigurationHasAllValues(t *testing.T) {
	t.Parallel()
	for name, condition := range map[string]string{"in process": "", "by git": "[includeIf \"hasconfig:remote.*.url:none\"]\npath = none\n"} {
		dir := gittest.Seeded(t)
		gittest.Git(t, dir, "config", "include.path", "more")
		r, ctx := open(t, dir), context.Background()
		for _, text := range []string{"", "[Liza \"Sub\"]\nAllow = a b\nallow\n", "[liza \"Sub\"]\nallow = a b\nallow = c\nallow = a b\nallowed = d\n[liza \"sub\"]\nallow = e\n", ""} {
			gittest.Write(t, dir, ".git/more", condition+text)
			theirs, _ := r.Git(ctx, "config", "--null", "--get-all", "liza.Sub.allow")
			want := strings.Split(string(theirs), "\x00")
			for i, value := range want[:len(want)-1] {
				if value == "" {
					want[i] = "true" // of a key without a value
				}
			}
			for _, reader := range []*Repo{r, open(t, dir)} {
				values, err := reader.Config.Values(ctx, "liza.Sub.allow")
				require.NoError(t, err, name)
				require.Equal(t, condition == "", reader.Config.whole, name)
				require.Equal(t, want[:len(want)-1], append([]string{}, values...), "%s: %q", name, text)
			}
		}
	}
}
