package board

// A Receipt is the evidence that a command ran on a tree.
type Receipt struct {
	Gate        string   `yaml:"gate"`
	Command     string   `yaml:"command"`
	Tree        ObjectID `yaml:"tree"`
	Exit        int      `yaml:"exit,keep"`
	Duration    string   `yaml:"duration"`
	By          Actor    `yaml:"by"`
	Output      string   `yaml:"output"`      // excerpt, at most 4 KiB
	Result      Result   `yaml:"result"`      // how the run ended
	Environment string   `yaml:"environment"` // a hash of what the machine gave the command, 40 hexadecimal digits
}

// A Result is how the run of a command ended. The zero value is not known.
type Result uint8

// The results of commands.
const (
	Pass     Result = iota + 1 // exit code 0
	Fail                       // another one
	TimedOut                   // it was ended after its time limit
	Errored                    // it could not run
	Skipped                    // it was not run
)

var resultNames = names{"result", "pass", "fail", "timeout", "error", "skip"}

// String is the result's name.
func (r Result) String() string { return resultNames.name(uint8(r)) }

// MarshalText writes the name; the zero value is an error.
func (r Result) MarshalText() ([]byte, error) { return resultNames.marshal(uint8(r)) }

// UnmarshalText accepts exactly the names of [Result.String].
func (r *Result) UnmarshalText(text []byte) error { return unmarshalName(r, text, resultNames) }

// HasPassed reports whether the command succeeded.
func (r Receipt) HasPassed() bool { return r.Result == Pass }
