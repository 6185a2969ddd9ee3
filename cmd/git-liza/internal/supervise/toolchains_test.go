package supervise_test

import (
	"archive/zip"
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/torture"
)

// A bench is a world, the home of its person, and the checkout in which sessions of coder-1 work.
type bench struct {
	*world
	home, checkout string
	environ        []string
}

// toolchains are what sessions work with: programs, what a person has of them, and lines of two
// sessions of one agent, the second one after what the person did between. Nothing is asked of
// the network.
var toolchains = map[string]struct {
	programs      []string
	made, between func(b *bench)
	first, second string
}{
	"go": {
		programs: []string{"go"},
		made: func(b *bench) {
			const at = "go/pkg/mod/cache/download/example.com/dep/@v/"
			b.keep(".config/go/env", "GOPROXY=off\nGOSUMDB=off\nGOFLAGS=-mod=mod\n")
			b.keep(at+"list", "v1.0.0\n")
			b.keep(at+"v1.0.0.info", `{"Version":"v1.0.0"}`)
			b.keep(at+"v1.0.0.mod", "module example.com/dep\n")
			b.pack(filepath.Join(b.home, at, "v1.0.0.zip"), map[string]string{"example.com/dep@v1.0.0/go.mod": "module example.com/dep\n", "example.com/dep@v1.0.0/dep.go": "package dep\n\nconst One = \"1\"\n"})
			b.add("go.mod", "module one\n\nrequire example.com/dep v1.0.0\n")
			b.add("main.go", "package main\n\nimport \"example.com/dep\"\n\nfunc main() { println(dep.One) }\n")
			b.add("main_test.go", `package main

import (
	"io"
	"net"
	"testing"

	"example.com/dep"
)

func TestServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		c, _ := l.Accept()
		io.WriteString(c, dep.One)
		c.Close()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(c); string(text) != dep.One {
		t.Fatal(string(text))
	}
}
`)
		},
		first:  `export CGO_ENABLED=0; go test -vet=off . && go build -x -o one . 2>log && grep -q '/compile' log && ./one`,
		second: `export CGO_ENABLED=0; go test -vet=off . | grep cached && go build -x -o two . 2>log && ! grep '/compile' log && ./two && git status --short go.mod`,
	},
	"npm": {
		programs: []string{"node", "npm"},
		made: func(b *bench) {
			b.add("lib/package.json", `{"name":"lib","version":"1.0.0","main":"lib.js"}`)
			b.add("lib/lib.js", "module.exports = 7\n")
			b.add("package.json", `{"name":"one","version":"1.0.0","scripts":{"test":"node serve.js"}}`)
			b.add("serve.js", `const s = require("http").createServer((q, a) => a.end(String(require("lib"))))
s.listen(0, "127.0.0.1", async () => {
	const text = await (await fetch("http://127.0.0.1:" + s.address().port)).text()
	process.exit(text === "7" ? 0 : 1)
})
`)
		},
		first: `export npm_config_update_notifier=false; (cd lib && npm pack --silent --pack-destination ..) && npm install --offline --no-audit --no-fund ./lib-1.0.0.tgz && npm test`,
		// What was packed is gone: it comes from the cache.
		second: `export npm_config_update_notifier=false; rm -r node_modules lib-1.0.0.tgz && npm ci --offline --no-audit --no-fund && npm test`,
	},
	"pip": {
		programs: []string{"python3"},
		made: func(b *bench) {
			b.pack(filepath.Join(b.dir, "lib-1.0-py3-none-any.whl"), map[string]string{"lib.py": "one = 7\n", "lib-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n",
				"lib-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "lib-1.0.dist-info/RECORD": "lib.py,,\nlib-1.0.dist-info/METADATA,,\nlib-1.0.dist-info/WHEEL,,\nlib-1.0.dist-info/RECORD,,\n"})
			b.add("serve.py", `import http.server, lib, os, sqlite3, subprocess, sys, tempfile, threading, urllib.request
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=s.serve_forever, daemon=True).start()
assert b"lib" in urllib.request.urlopen("http://127.0.0.1:%d/serve.py" % s.server_port).read()
assert lib.one == 7 and tempfile.mkstemp() and sqlite3.connect("db").execute("create table if not exists t(a)")
assert subprocess.run([sys.executable, "-c", "import lib"]).returncode == 0
`)
		},
		first:  `python3 -m venv v && v/bin/pip install --disable-pip-version-check --no-index ./lib-1.0-py3-none-any.whl && v/bin/python serve.py`,
		second: `v/bin/python serve.py && test "$(v/bin/pip cache dir)" = "$HOME/.cache/pip" && mkdir -p "$HOME/.cache/pip"`,
	},
	"cargo": {
		programs: []string{"cargo", "cc"},
		made: func(b *bench) {
			b.add("Cargo.toml", "[package]\nname = \"one\"\nversion = \"1.0.0\"\nedition = \"2021\"\n")
			b.add("src/main.rs", `use std::net::{TcpListener, TcpStream};

fn main() {
    let l = TcpListener::bind("127.0.0.1:0").unwrap();
    TcpStream::connect(l.local_addr().unwrap()).unwrap();
    l.accept().unwrap();
}
`)
		},
		first:  `cargo build --offline && target/debug/one`,
		second: `cargo build --offline -v 2>&1 | grep Fresh && target/debug/one`,
	},
	"make": {
		programs: []string{"make", "cc"},
		made: func(b *bench) {
			b.add("Makefile", "all: one two\n\t./one && ./two\n%: %.c\n\tcc -o $@ $<\n")
			b.add("one.c", "int main(void) { return 0; }\n")
			b.add("two.c", "int main(void) { return 0; }\n")
		},
		first:  `make -j2`,
		second: `make -q one two && make`,
	},
	"git": {
		programs: []string{"git"},
		first: `quiet='-c core.hooksPath=/dev/null' # hooks ask the supervisor
git fetch origin && git log -1 origin/main && git switch -q -c side && git $quiet commit -q --allow-empty -m side && echo x >x && git add x && git stash -q && git stash pop -q && git rm -q -f x && git switch -q - && git merge -q side && git branch -D side &&
git config user.secret x && git gc -q && git rebase -q origin/main && git worktree add -q more && git worktree remove more`,
		between: func(b *bench) {
			b.person("git commit -q --allow-empty -m later && git liza adopt >/dev/null; git -C .worktrees/task-1 log -1 >/dev/null")
			require.NoError(b, b.world.clone.Checkouts.Trees.Renew(context.Background(), "task-1"))
		},
		second: `git fetch origin && git log -1 origin/main | grep later && git merge -q origin/main && git log --oneline | grep later`,
	},
	"lfs": {
		programs: []string{"git-lfs"},
		made: func(b *bench) {
			b.add(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
			b.add("one.bin", "large\n")
		},
		first: `git show HEAD:one.bin | grep oid && rm one.bin && git checkout -q one.bin && grep large one.bin &&
echo own >two.bin && git add two.bin && git -c core.hooksPath=/dev/null commit -q -m two && git show HEAD:two.bin | grep oid`,
		second: `rm one.bin two.bin && git checkout -q . && grep large one.bin && grep own two.bin && git lfs status`,
	},
	"submodule": {
		programs: []string{"git"},
		made: func(b *bench) {
			lib := filepath.Join(b.home, "lib")
			b.person("git init -q '" + lib + "' && cd '" + lib + "' && echo lib >file && git add file && git commit -q -m lib")
			b.person("git submodule --quiet add '" + lib + "' lib")
		},
		first:  `git submodule update --init && grep lib lib/file && git -C lib -c core.hooksPath=/dev/null commit -q --allow-empty -m own && git submodule status`,
		second: `git -C lib log --oneline | grep own && git submodule update && git submodule foreach git status`,
	},
}

// Programs that people build and test with work in a session as beside it, and what they keep is there
// in the next session of the same agent. It takes a minute and more.
func TestTortureToolchainsInASession(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for name, row := range toolchains {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, row.made)
			for _, program := range row.programs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip("SKIPPED: this machine has no " + program)
				}
			}
			if name == "pip" && exec.Command("python3", "-c", "import ensurepip, sqlite3").Run() != nil {
				t.Skip("SKIPPED: python3 makes no virtual environments here")
			}
			b.works(row.first)
			if row.between != nil {
				row.between(b)
			}
			b.works(row.second)
		})
	}
}

// What package managers fetched for the person can be read and not written; what else they keep there
// can be neither.
func TestCachesOfAPerson(t *testing.T) {
	t.Parallel()
	open := []string{".npm/_cacache/index-v5/x", ".cache/pip/http-v2/x", ".cargo/registry/cache/x", ".cargo/git/db/x", "go/pkg/mod/example.com/dep@v1.0.0/dep.go", "go/pkg/mod/cache/download/x"}
	closed := []string{".npmrc", ".npm/_logs/x", ".cargo/credentials.toml", ".config/pip/pip.conf", ".pypirc", ".cache/other/x"}
	b := newBench(t, func(b *bench) {
		for _, name := range slices.Concat(open, closed) {
			b.keep(name, "kept\n")
		}
	})
	line := "said() { echo; if (eval \"$2\") >/dev/null 2>&1; then echo \"yes $1 $f\"; else echo \"no $1 $f\"; fi; }\nfor f in " + strings.Join(slices.Concat(open, closed), " ") + "; do p='" + b.home + `'/$f
said reads 'cat "$p"'
said appends ': >>"$p"'
said adds 'touch "$p-new"'
said moves 'mv "$p" "$p-moved" && mv "$p-moved" "$p"'
said links 'ln "$p" hard && rm hard'
done`
	for _, confined := range []bool{true, false} {
		said := b.session(line, confined).Excerpt
		for _, name := range slices.Concat(open, closed) {
			for _, act := range []string{"reads", "appends", "adds", "moves", "links"} {
				word := "no "
				if !confined || act == "reads" && slices.Contains(open, name) {
					word = "yes "
				}
				require.Contains(t, said, "\n"+word+act+" "+name+"\n", "confined is %t", confined)
			}
		}
	}
}

// newBench has what a kind of tool needs in its repository and in the home of its person.
func newBench(t *testing.T, made func(b *bench)) *bench {
	t.Helper()
	if proc.Confinement() == proc.Unconfined {
		t.Skip("SKIPPED: this kernel confines no command")
	}
	b := &bench{world: newEmptyWorld(t), home: t.TempDir()}
	b.environ = append(os.Environ(), "HOME="+b.home, "PATH="+filepath.Dir(self)+":"+os.Getenv("PATH"))
	b.keep(".gitconfig", "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"+
		"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n")
	u, err := user.Current()
	require.NoError(t, err)
	for _, folder := range []string{".pyenv", ".rustup"} { // the programs on the PATH may be of these
		if _, err := os.Stat(filepath.Join(u.HomeDir, folder)); err == nil {
			require.NoError(t, os.Symlink(filepath.Join(u.HomeDir, folder), filepath.Join(b.home, folder)))
		}
	}
	b.add("specs/vision.md", "# A small product\n")
	b.person("git init -q")
	if made != nil {
		made(b)
	}
	b.person("git add -A && git commit -q -m first && git liza init && git config liza.confine auto")
	b.tasks(1)
	b.person("git liza claim task-1 --as coder-1")
	b.checkout = filepath.Join(b.dir, ".worktrees", "task-1")
	repo, err := git.Open(context.Background(), b.dir)
	require.NoError(t, err)
	b.world.clone, err = work.Open(context.Background(), repo, time.Now, b.environ)
	require.NoError(t, err)
	return b
}

// keep writes a file in the person's home, and add one in the repository.
func (b *bench) keep(name, text string) { writeBelow(b.T, filepath.Join(b.home, name), text) }

func (b *bench) add(name, text string) { writeBelow(b.T, filepath.Join(b.dir, name), text) }

// pack writes an archive with files.
func (b *bench) pack(path string, files map[string]string) {
	f, err := os.Create(path)
	require.NoError(b, err)
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(name)
		require.NoError(b, err)
		_, err = w.Write([]byte(text))
		require.NoError(b, err)
	}
	require.NoError(b, z.Close())
	require.NoError(b, f.Close())
}

// person runs a line as the person, in the repository.
func (b *bench) person(line string) {
	b.Helper()
	c := exec.Command("sh", "-e", "-c", line)
	c.Dir, c.Env = b.dir, b.environ
	text, err := c.CombinedOutput()
	require.NoError(b, err, "%s: %s", line, text)
}

// session runs a line where a session of coder-1 runs, or in its checkout with all that the person reaches.
func (b *bench) session(line string, confined bool) proc.Result {
	b.Helper()
	place, err := work.SessionPlace(context.Background(), b.world.clone, b.checkout, "coder-1")
	require.NoError(b, err)
	require.NotNil(b, place.Domain)
	defer place.Close()
	if !confined {
		place.Domain = nil
	}
	path, args := proc.Shell(line)
	r, err := proc.Run(context.Background(), proc.Command{Path: path, Args: args, Dir: b.checkout, Domain: place.Domain, Excerpt: 64 << 10, Env: proc.Environment(b.environ, nil, place.Variables...)})
	require.NoError(b, err)
	return r
}

// works runs a line in a session, where it has to succeed.
func (b *bench) works(line string) {
	b.Helper()
	r := b.session(line, true)
	require.True(b, r.Passed(), "%s\n%s", line, r.Excerpt)
}
