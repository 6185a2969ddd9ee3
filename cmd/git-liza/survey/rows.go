package survey

// A row is a command that a file of the repository shows.
type row struct {
	file    string   // a path or pattern from the root
	beside  string   // another file that must be there; "" if none
	unless  []string // files that must not be there
	target  string   // that the file must define, see targetsOf; "" if none
	says    string   // words that the file must have
	kind    string   // of tool: gates of several are told apart by it
	purpose string
	command string
}

// runs is the kind of the project's own task runners: what they do goes before what
// a language would do.
const runs = "runner"

// installed are the kinds whose commands need what their set-up installs into the
// checkout.
var installed = []string{"node", "python", "ruby", "php"}

// The locks of package managers, of which the first that is there is used.
var (
	nodeLocks   = []string{"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"}
	pythonLocks = []string{"uv.lock", "poetry.lock"}
)

var rows = []row{
	{file: "Makefile", target: "test", kind: runs, purpose: Test, command: "make test"},
	{file: "Makefile", target: "check", kind: runs, purpose: Check, command: "make check"},
	{file: "Makefile", target: "ci", kind: runs, purpose: Check, command: "make ci"},
	{file: "Makefile", target: "verify", kind: runs, purpose: Check, command: "make verify"},
	{file: "Makefile", target: "lint", kind: runs, purpose: Check, command: "make lint"},
	{file: "Makefile", target: "build", kind: runs, purpose: Build, command: "make build"},
	{file: "Makefile", target: "run", kind: runs, purpose: Start, command: "make run"},
	{file: "justfile", target: "test", kind: runs, purpose: Test, command: "just test"},
	{file: "justfile", target: "check", kind: runs, purpose: Check, command: "just check"},
	{file: "justfile", target: "lint", kind: runs, purpose: Check, command: "just lint"},
	{file: "justfile", target: "build", kind: runs, purpose: Build, command: "just build"},

	{file: "go.mod", kind: "go", purpose: SetUp, command: "go mod download"},
	{file: "go.mod", kind: "go", purpose: Build, command: "go build ./..."},
	{file: "go.mod", kind: "go", purpose: One, command: "go test ./PACKAGE -run NAME"},
	{file: "go.mod", kind: "go", purpose: Test, command: "go test ./..."},
	{file: "go.mod", kind: "go", purpose: Check, command: "go vet ./..."},

	{file: "Cargo.toml", kind: "rust", purpose: Build, command: "cargo build"},
	{file: "Cargo.toml", kind: "rust", purpose: One, command: "cargo test NAME"},
	{file: "Cargo.toml", kind: "rust", purpose: Test, command: "cargo test"},
	{file: "Cargo.toml", kind: "rust", purpose: Check, command: "cargo fmt --check && cargo clippy"},

	{file: "package.json", beside: "package-lock.json", kind: "node", purpose: SetUp, command: "npm ci"},
	{file: "package.json", beside: "pnpm-lock.yaml", kind: "node", purpose: SetUp, command: "pnpm install --frozen-lockfile"},
	{file: "package.json", beside: "yarn.lock", kind: "node", purpose: SetUp, command: "yarn install --frozen-lockfile"},
	{file: "package.json", beside: "bun.lock", kind: "node", purpose: SetUp, command: "bun install --frozen-lockfile"},
	{file: "package.json", unless: nodeLocks, kind: "node", purpose: SetUp, command: "npm install"},
	{file: "package.json", target: "build", kind: "node", purpose: Build, command: "npm run build"},
	{file: "package.json", target: "test", kind: "node", purpose: Test, command: "npm test"},
	{file: "package.json", target: "lint", kind: "node", purpose: Check, command: "npm run lint"},
	{file: "package.json", target: "typecheck", kind: "node", purpose: Check, command: "npm run typecheck"},
	{file: "package.json", target: "start", kind: "node", purpose: Start, command: "npm start"},
	{file: "deno.json", kind: "deno", purpose: Test, command: "deno test"},
	{file: "deno.json", kind: "deno", purpose: Check, command: "deno lint"},

	{file: "pyproject.toml", beside: "uv.lock", kind: "python", purpose: SetUp, command: "uv sync"},
	{file: "pyproject.toml", beside: "uv.lock", says: "pytest", kind: "python", purpose: One, command: "uv run pytest -k NAME"},
	{file: "pyproject.toml", beside: "uv.lock", says: "pytest", kind: "python", purpose: Test, command: "uv run pytest"},
	{file: "pyproject.toml", beside: "uv.lock", says: "ruff", kind: "python", purpose: Check, command: "uv run ruff check ."},
	{file: "pyproject.toml", beside: "poetry.lock", kind: "python", purpose: SetUp, command: "poetry install"},
	{file: "pyproject.toml", beside: "poetry.lock", says: "pytest", kind: "python", purpose: One, command: "poetry run pytest -k NAME"},
	{file: "pyproject.toml", beside: "poetry.lock", says: "pytest", kind: "python", purpose: Test, command: "poetry run pytest"},
	{file: "pyproject.toml", beside: "poetry.lock", says: "ruff", kind: "python", purpose: Check, command: "poetry run ruff check ."},
	{file: "pyproject.toml", unless: pythonLocks, kind: "python", purpose: SetUp, command: "python -m pip install -e ."},
	{file: "pyproject.toml", unless: pythonLocks, says: "pytest", kind: "python", purpose: One, command: "python -m pytest -k NAME"},
	{file: "pyproject.toml", unless: pythonLocks, says: "pytest", kind: "python", purpose: Test, command: "python -m pytest"},
	{file: "pyproject.toml", unless: pythonLocks, says: "ruff", kind: "python", purpose: Check, command: "ruff check ."},
	{file: "requirements.txt", unless: []string{"pyproject.toml"}, kind: "python", purpose: SetUp, command: "python -m pip install -r requirements.txt"},
	{file: "tox.ini", unless: []string{"pyproject.toml"}, kind: "python", purpose: Test, command: "tox"},
	{file: "pytest.ini", unless: []string{"pyproject.toml"}, kind: "python", purpose: Test, command: "python -m pytest"},

	{file: "CMakeLists.txt", kind: "cmake", purpose: Build, command: "cmake -B build && cmake --build build"},
	{file: "CMakeLists.txt", says: "enable_testing", kind: "cmake", purpose: Test, command: "cmake -B build && cmake --build build && ctest --test-dir build"},
	{file: "pom.xml", kind: "maven", purpose: Build, command: "mvn -B -DskipTests package"},
	{file: "pom.xml", kind: "maven", purpose: Test, command: "mvn -B verify"},
	{file: "gradlew", kind: "gradle", purpose: Build, command: "./gradlew assemble"},
	{file: "gradlew", kind: "gradle", purpose: Test, command: "./gradlew check"},
	{file: "*.sln", kind: "dotnet", purpose: Build, command: "dotnet build"},
	{file: "*.sln", kind: "dotnet", purpose: Test, command: "dotnet test"},
	{file: "Package.swift", kind: "swift", purpose: Build, command: "swift build"},
	{file: "Package.swift", kind: "swift", purpose: Test, command: "swift test"},
	{file: "mix.exs", kind: "elixir", purpose: SetUp, command: "mix deps.get"},
	{file: "mix.exs", kind: "elixir", purpose: Test, command: "mix test"},
	{file: "Gemfile", kind: "ruby", purpose: SetUp, command: "bundle install"},
	{file: "Gemfile", beside: ".rspec", kind: "ruby", purpose: Test, command: "bundle exec rspec"},
	{file: "Gemfile", beside: "Rakefile", unless: []string{".rspec"}, kind: "ruby", purpose: Test, command: "bundle exec rake test"},
	{file: "composer.json", kind: "php", purpose: SetUp, command: "composer install"},
	{file: "composer.json", target: "test", kind: "php", purpose: Test, command: "composer test"},
}

// entryPoints are patterns of files in which programs begin.
var entryPoints = []string{
	"main.go", "cmd/*/main.go", "src/main.rs", "src/bin/*.rs", "main.py", "app.py", "manage.py", "__main__.py", "*/__main__.py",
	"src/*/__main__.py", "index.js", "index.ts", "server.js", "src/index.[jt]s", "src/main.[jt]s", "src/index.tsx", "src/main.tsx",
	"src/main.c", "src/main.cpp", "main.c", "main.cpp", "src/Main.java", "Program.cs", "bin/*",
}

// languageOf names the language of a file by the end of its name.
var languageOf = map[string]string{
	".go": "Go", ".rs": "Rust", ".py": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++",
	".hpp": "C++", ".cs": "C#", ".rb": "Ruby", ".php": "PHP", ".swift": "Swift", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell",
	".scala": "Scala", ".clj": "Clojure", ".lua": "Lua", ".pl": "Perl", ".r": "R", ".jl": "Julia", ".zig": "Zig", ".dart": "Dart", ".sh": "shell",
	".bash": "shell", ".sql": "SQL", ".html": "HTML", ".css": "CSS", ".scss": "CSS", ".vue": "Vue", ".svelte": "Svelte", ".tf": "Terraform",
}

// ciFiles are patterns of files that say what the project's CI runs.
var ciFiles = []string{
	".github/workflows/*.yml", ".github/workflows/*.yaml", ".forgejo/workflows/*.yml", ".forgejo/workflows/*.yaml", ".gitea/workflows/*.yml", ".gitea/workflows/*.yaml",
	".gitlab-ci.yml", ".circleci/config.yml", ".woodpecker.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml",
}

// A runner is a program with which CI runs what the project calls by a name.
type runner struct {
	command string   // before the name
	kind    string   // as in a row
	files   []string // of which one is at the root
	defined bool     // in that file, not perhaps in one that it includes
}

var runners = []runner{
	{"make", runs, []string{"Makefile", "GNUmakefile", "makefile"}, false},
	{"just", runs, []string{"justfile", "Justfile", ".justfile"}, false},
	{"task", runs, []string{"Taskfile.yml", "Taskfile.yaml"}, false},
	{"npm run", "node", []string{"package.json"}, true},
	{"pnpm run", "node", []string{"package.json"}, true},
	{"yarn run", "node", []string{"package.json"}, true},
	{"bun run", "node", []string{"package.json"}, true},
}

// named are the names of what a merge can be made to pass, the one that does most first.
var named = []struct{ name, purpose string }{
	{"build", Build}, {"compile", Build}, {"test", Test}, {"tests", Test},
	{"check", Check}, {"ci", Check}, {"verify", Check}, {"validate", Check}, {"lint", Check}, {"typecheck", Check}, {"vet", Check},
}
