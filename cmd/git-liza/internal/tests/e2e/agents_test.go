package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// commands are what each command line is asked once, without git liza: that
// the stand-in is understood, and that no other address is needed.
var commands = map[string][]string{
	"codex":    {"exec", "--json", "-"},
	"claude":   {"-p", "--output-format", "stream-json", "--verbose"},
	"gemini":   {"--output-format", "stream-json", "-m", "gemini-2.5-pro"},
	"opencode": {"run", "--format", "json"},
	"copilot":  {"--output-format", "json", "--no-color", "--no-ask-user"},
	"qwen":     {"--output-format", "stream-json"},
	"pi":       {"--mode", "json"},
}

func TestCommandLinesTalkToTheStandIn(t *testing.T) {
	t.Parallel()
	for name, args := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := commandLine(t, name)
			w := newWorkshop(t, standin.Script{{Text: "The moon is made of rock."}}, name)
			o := w.asks("What is the moon made of?", append([]string{path}, args...)...)
			require.Zero(t, o.code, o.text())
			require.Contains(t, o.stdout, "The moon is made of rock.")
			asked := w.model.Conversations()
			require.NotEmpty(t, asked)
			require.Contains(t, asked[len(asked)-1].Asked.Prompt(), "What is the moon made of?")
		})
	}
}
