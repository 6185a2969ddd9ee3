package confine_test

import (
	"archive/zip"
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m, connect) }

// connect connects to a port by TCP. With "first" the connection is made by what is sent first.
func connect(how string, args []string) error {
	port, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	to := &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	switch {
	case err != nil:
		return err
	case how == "first":
		return syscall.Sendto(fd, []byte("x"), 0x20000000, to) // MSG_FASTOPEN of Linux
	}
	return syscall.Connect(fd, to)
}

// A person is a home with a clone in it, and what runs there confined.
type person struct {
	*testing.T
	home, clone, checkout string
	repo                  *git.Repo
	environ               []string
	confine.Settings
}

func newPerson(t *testing.T) *person {
	t.Helper()
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel confines no command in full")
	}
	home := t.TempDir()
	p := &person{T: t, home: home, clone: filepath.Join(home, "clone"), checkout: filepath.Join(home, "clone", ".worktrees", "one")}
	p.environ = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=")
	require.NoError(t, os.MkdirAll(p.checkout, 0o700))
	gittest.Git(t, p.clone, "init", "-q")
	repo, err := git.Open(context.Background(), p.clone)
	require.NoError(t, err)
	p.repo = repo
	return p
}

// run runs a shell line confined in the checkout, and returns how it ended.
func (p *person) run(line string, more ...string) proc.Result {
	p.Helper()
	place, err := p.Place(context.Background(), p.repo, p.environ, p.checkout, "one")
	require.NoError(p, err)
	defer place.Close()
	path, args := proc.Shell(line)
	r, err := proc.Run(context.Background(), proc.Command{Path: path, Args: args, Dir: p.checkout, Domain: place.Domain, Env: proc.Environment(p.environ, nil, append(place.Variables, more...)...)})
	require.NoError(p, err)
	if !r.Passed() {
		p.Log(r.Excerpt, confine.Hint(r.Excerpt))
	}
	return r
}

func (p *person) write(name, text string) string {
	gittest.Write(p, p.home, name, text)
	return filepath.Join(p.home, name)
}

func (p *person) script(name, text string) {
	require.NoError(p, os.MkdirAll(filepath.Dir(filepath.Join(p.home, name)), 0o700))
	gittest.Script(p, filepath.Join(p.home, name), text)
}

// What a program in the user's home needs can be read, and what lies beside it cannot.
func TestProgramsOfAHome(t *testing.T) {
	p := newPerson(t)
	p.environ = append(p.environ, "PATH="+filepath.Join(p.home, ".local", "bin")+":"+filepath.Join(p.home, "sdk", "1.0", "bin")+":"+filepath.Join(p.home, "work", "bin")+":"+filepath.Join(p.clone, "bin")+":"+p.home+":"+filepath.Join(filepath.Dir(p.home), "bin")+":"+os.Getenv("PATH"))
	p.script(".local/share/tools/one/bin/one", `exec cat "$(dirname "$(readlink -f "$0")")/../data"`)
	p.write(".local/share/tools/one/data", "data\n")
	p.script("sdk/1.0/bin/two", `exec cat "$(dirname "$0")/../data"`)
	p.write("sdk/1.0/data", "data\n")
	p.write(".local/bin/none", "")
	p.script(".local/bin/java", `echo "$JAVA_TOOL_OPTIONS"`)
	p.write(".tool-versions", "node 20\n")
	p.write(".config/mise/config.toml", "[env]\nKEY = 'secret'\n[tools]\nnode = '20'\n[settings]\nkey = 'secret'\n")
	p.write("opt/goenv/version", "")
	p.environ = append(p.environ, "GOENV_ROOT="+filepath.Join(p.home, "opt", "goenv"))
	require.NoError(t, os.Symlink("../share/tools/one/bin/one", filepath.Join(p.home, ".local", "bin", "one")))
	p.write(".rustup/settings.toml", "")
	secret := p.write(".local/share/keyrings/secret", "secret\n")
	key := p.write(".ssh/key", "secret\n")
	p.write("mono/.git/HEAD", "")
	p.script("mono/app/bin/six", "exit 0")
	p.environ = append(p.environ, "PATH="+filepath.Join(p.home, "mono", "app", "bin")+":"+proc.Value(p.environ, "PATH"))
	require.True(t, p.run("six").Passed())
	require.NotZero(t, p.run("cat "+p.write("mono/app/.env", "")).Code)
	require.True(t, p.run("one && two && cat $RUSTUP_HOME/settings.toml $GOENV_ROOT/version").Passed())
	require.True(t, p.run(`test "$(cat ~/.tool-versions)" = "node 20" && test "$(cat ~/.config/mise/config.toml)" = "$(printf "[tools]\nnode = '20'")"`).Passed())
	require.True(t, p.run(`java | grep -F "\"-Duser.home=$HOME\" \"-Djava.io.tmpdir=$TMPDIR\""`).Passed())
	p.script("work/bin/three", "exit 0")
	p.script("clone/bin/four", "exit 0")
	p.script("../bin/five", "exit 0")
	require.NoError(t, os.Symlink("../../.ssh", filepath.Join(p.home, ".local", "bin", "keys")))
	p.environ = append(p.environ, "HOME="+p.home+"/")
	require.True(t, p.run("one && three && four && five").Passed())
	for _, path := range []string{secret, key, p.write(".local/other", ""), p.write("work/secret", ""), p.write("clone/secret", "")} {
		require.NotZero(t, p.run("cat "+path).Code, path)
	}
	p.Read = []string{filepath.Dir(key)}
	require.True(t, p.run("cat "+key).Passed())
	require.NotZero(t, p.run("echo >>"+key).Code)
	p.Write = p.Read
	require.True(t, p.run("echo >>"+key).Passed())
}

// Some programs look for their settings in each folder above.
func TestFilesAboveACheckout(t *testing.T) {
	p := newPerson(t)
	p.write("clone/Makefile", "all:\n")
	p.write("clone/.tool/config", "")
	p.write("clone/code/one", "")
	gittest.Git(t, p.clone, "add", "-A")
	gittest.Git(t, p.clone, "commit", "-q", "-m", "One")
	p.write("clone/.env", "secret\n")
	p.write("clone/.tool/login", "secret\n")
	require.True(t, p.run("cat ../../Makefile ../../.tool/config").Passed())
	for _, path := range []string{".env", ".tool/login", "code/one", ".git/config"} {
		require.NotZero(t, p.run("cat ../../"+path).Code, path)
	}
}

// Modules come from the user's cache, which stays as it is, and are kept in the home, so that
// the next command builds with what this one built.
func TestModulesOfGo(t *testing.T) {
	p := newPerson(t)
	const at = "go/pkg/mod/cache/download/example.com/dep/@v/"
	p.write(at+"list", "v1.0.0\n")
	p.write(at+"v1.0.0.info", `{"Version":"v1.0.0"}`)
	p.write(at+"v1.0.0.mod", "module example.com/dep\n")
	f, err := os.Create(p.write(at+"v1.0.0.zip", ""))
	require.NoError(t, err)
	z := zip.NewWriter(f)
	for name, text := range map[string]string{"go.mod": "module example.com/dep\n", "dep.go": "package dep\n\nconst One = 1\n"} {
		w, err := z.Create("example.com/dep@v1.0.0/" + name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	p.write(".config/go/env", "GOPROXY=off\nGOFLAGS=-trimpath\n")
	gittest.Write(t, p.checkout, "go.mod", "module one\n\nrequire example.com/dep v1.0.0\n")
	gittest.Write(t, p.checkout, "one.go", "package one\n\nimport \"example.com/dep\"\n\nvar One = dep.One\n")
	require.True(t, p.run(`test "$GOFLAGS" = "-trimpath -modcacherw" && go build -mod=mod .`, "GOSUMDB=off", "GOTOOLCHAIN=local").Passed())
	require.NoDirExists(t, filepath.Join(p.home, "go", "pkg", "mod", "example.com"))
	require.DirExists(t, filepath.Join(p.clone, ".git", "liza", "homes", "one", "go", "pkg", "mod", "example.com", "dep@v1.0.0"))
	require.True(t, p.run("go build .", "GOPROXY=off", "GOTOOLCHAIN=local").Passed())
}

// Where ports are named, TCP connects to no other, and to none by what is sent first.
func TestPorts(t *testing.T) {
	p := newPerson(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, there, _ := net.SplitHostPort(l.Addr().String())
	for _, one := range []struct {
		set    []string
		passes bool
	}{{nil, true}, {[]string{"none"}, false}, {[]string{there}, true}, {[]string{"1", there}, true}, {[]string{"1"}, false}, {[]string{"1", "open"}, true}, {[]string{"none", "open", "2"}, false}} {
		p.write("clone/.git/net", "")
		for _, value := range one.set {
			gittest.Git(t, p.clone, "config", "--file", ".git/net", "--add", "liza.confine.net", value)
		}
		gittest.Git(t, p.clone, "config", "include.path", "net")
		p.repo.Config.Renew()
		p.Settings, err = confine.ReadSettings(context.Background(), &p.repo.Config.Configuration, p.environ)
		require.NoError(t, err)
		p.Read = []string{os.Args[0]}
		require.Equal(t, one.passes, p.run(os.Args[0]+" "+there, "GITSTORE_TEST_CHILD=asked").Passed(), "%v", one.set)
		require.Equal(t, p.Ports == nil, p.run(os.Args[0]+" "+there, "GITSTORE_TEST_CHILD=first").Passed(), "%v, first", one.set)
	}
	gittest.Git(t, p.clone, "config", "liza.confine.net", "http")
	p.repo.Config.Renew()
	_, err = confine.ReadSettings(context.Background(), &p.repo.Config.Configuration, p.environ)
	require.ErrorContains(t, err, `liza.confine.net is "http", not open, none or a port`)
}

// Files that tell where packages come from hold passwords too.
func TestSourcesOfPackages(t *testing.T) {
	p := newPerson(t)
	p.write(".npmrc", "registry=https://u:secret@npm.example/\n@our:registry = https://npm.our.example\n//npm.example/:_authToken=secret\n")
	p.write(".config/pip/pip.conf", "[global]\nindex-url = https://u:secret@pip.example/simple\nextra-index-url =\n  https://one.example\n  https://u:secret@two.example\npassword = secret\n")
	p.write(".cargo/config.toml", "[build]\n")
	p.write(".cargo/credentials.toml", "secret")
	require.True(t, p.run(`test "$(cat ~/.npmrc)" = "registry=https://npm.example/
@our:registry = https://npm.our.example" && test "$(cat ~/.config/pip/pip.conf)" = "[global]
index-url = https://pip.example/simple
extra-index-url =
  https://one.example
  https://two.example" && cat ~/.cargo/config.toml `+p.home+`/.cargo/config.toml && ! cat `+p.home+`/.cargo/credentials.toml`).Passed())
}

// What hooks are links to or name can be read, and what hooks elsewhere need that ours call.
func TestFilesOfHooks(t *testing.T) {
	p := newPerson(t)
	p.script("hooks/commit-msg", `. "$(dirname "$0")/lib" && exec "$HOME/tools/venv/bin/python" "$1"`)
	p.write("hooks/lib", "")
	p.write("tools/venv/config", "set\n")
	p.script("elsewhere/bin/python3", `cat "$(dirname "$0")/../config"`)
	require.NoError(t, os.MkdirAll(filepath.Join(p.home, "tools", "venv", "bin"), 0o700))
	require.NoError(t, os.Symlink("../../../elsewhere/bin/python3", filepath.Join(p.home, "tools", "venv", "bin", "python")))
	p.script("clone/scripts/pre-commit", "exit 0")
	p.script("clone/.git/hooks/commit-msg", "exec '"+p.home+"/hooks/commit-msg' \"$@\"")
	require.NoError(t, os.Symlink("../../scripts/pre-commit", filepath.Join(p.clone, ".git", "hooks", "pre-commit")))
	p.script("tools/shared/post-commit", "exit 0") // beside what names other files, and is no hook
	p.script("tools/shared/deploy", "cat "+p.home+"/deployed")
	p.script("clone/.git/hooks/post-commit", "exec "+p.home+"/tools/shared/post-commit")
	require.True(t, p.run("HOME="+p.home+" ../../.git/hooks/commit-msg x && ../../.git/hooks/pre-commit").Passed())
	for _, secret := range []string{"tools/other", ".ssh/key", "other", ".netrc", "noted", "deployed"} {
		p.write("clone/.git/hooks/pre-push", "#!/bin/sh\n# as "+p.home+"/noted does\ncat "+p.home+"/.ssh/key "+p.home+" "+p.home+"/tools ~/.netrc")
		require.NoError(t, os.WriteFile(filepath.Join(p.home, "noted"), nil, 0o755))
		p.script("deployed", "")
		require.NotZero(t, p.run("cat "+p.write(secret, "")).Code, secret)
	}
}

// Root has the rights of its kind in a checkout, which may be another user's.
func TestCheckoutOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root works in checkouts of others")
	}
	p := newPerson(t)
	require.NoError(t, os.Chown(p.checkout, 65534, 65534))
	other := p.write("other/file", "")
	require.NoError(t, os.Chown(other, 65534, 65534))
	require.True(t, p.run("echo >written").Passed())
	require.NotZero(t, p.run("cat "+other).Code)
	require.NotZero(t, p.run("echo >"+other).Code)
}

// A home that is missing stays so.
func TestNoHome(t *testing.T) {
	p := newPerson(t)
	none := filepath.Join(p.home, "none")
	p.environ = append(p.environ, "HOME="+none)
	require.True(t, p.run(`go env GOFLAGS | grep modcacherw && ls "$HOME"`).Passed())
	require.NoDirExists(t, none)
}

func TestHomes(t *testing.T) {
	p := newPerson(t)
	for key, value := range map[string]string{"user.name": "Ann", "github.token": "secret", "filter.x.token": "secret", "filter.x.pass": "secret", "diff.external": "secret", "http.proxy": "u:secret@host:3128", "i18n.x": "https://u:secret@RET@example.com", "credential.helper": "secret"} {
		gittest.Git(t, p.clone, "config", key, value)
	}
	require.True(t, p.run(`test "$(git config user.name; git config http.proxy; git config i18n.x)" = "$(echo Ann; echo host:3128; echo https://example.com)" && ! grep -e secret -e RET "$HOME/.gitconfig" && mkdir -p "$HOME/.gitconfig2/x" && rm "$HOME/.gitconfig" && mv "$HOME/.gitconfig2" "$HOME/.gitconfig"`).Passed())
	for _, one := range [][2]string{{"filter.y.smudge", "~/y"}, {"filter.y.required", "false"}, {"filter.lfs.process", "git-lfs filter-process"}} {
		gittest.Git(t, p.clone, "config", one[0], one[1])
	}
	require.True(t, p.run(`test "$(git config filter.y.required; git config filter.y.clean; git config filter.lfs.process)" = "$(echo true; echo cat; echo git-lfs filter-process)"`).Passed(), "what was set since is known, and every filter has to succeed")
	require.True(t, p.run(`echo >"$HOME/kept"`).Passed())
	gittest.Write(t, p.clone, ".git/config", "[core\n")
	_, err := p.Place(context.Background(), p.repo, p.environ, p.checkout, "one")
	require.Error(t, err)
	require.FileExists(t, filepath.Join(p.clone, ".git", "liza", "homes", "one", "kept"), "a home was set aside for settings that git cannot read")
	gittest.Write(t, p.clone, ".git/config", "[core]\n\trepositoryformatversion = 0\n[user]\n\tname = Ann\n")
	require.True(t, p.run(`chmod -R a-w "$HOME"`).Passed())
	require.True(t, p.run(`git config user.name`).Passed())
	theirs := p.write("theirs", "")
	home := filepath.Join(p.clone, ".git", "liza", "homes", "one")
	p.write(".npmrc", "")
	p.write(".config/mise/config.toml", "")
	p.write(".cargo/config.toml", "")
	require.True(t, p.run(`rm -r "$HOME/.config" "$HOME/.cargo" "$HOME/.npmrc"; ln -s `+p.home+` "$HOME/.config"; : >"$HOME/.cargo"; mkdir -p "$HOME/.npmrc/x"`).Passed())
	require.True(t, p.run(`test -f "$HOME/.config/mise/config.toml" && test -L "$HOME/.cargo/config.toml" && test -f "$HOME/.npmrc"`).Passed())
	require.True(t, p.run(`echo >"$HOME/kept"; echo >"$TMPDIR/gone"; ln -sf `+theirs+` "$HOME/.gitconfig"`).Passed())
	require.True(t, p.run(`test -e "$HOME/kept" && ! test -e "$TMPDIR/gone"`).Passed())
	require.FileExists(t, filepath.Join(home, ".gitconfig"))
	text, err := os.ReadFile(theirs)
	require.NoError(t, err)
	require.Empty(t, text, "a link of a confined command was followed")
	require.NoError(t, os.RemoveAll(home))
	require.NoError(t, os.WriteFile(home, nil, 0o600))
	_, err = p.Place(context.Background(), p.repo, p.environ, p.checkout, "one")
	require.ErrorContains(t, err, home)
}
