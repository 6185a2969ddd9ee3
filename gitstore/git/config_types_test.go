package git

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typedValues are texts that git takes for truth values or numbers, and texts beside them.
var typedValues = []string{
	"", "true", "True", "TRUE", "yes", "yEs", "on", "false", "no", "OFF", "t", "f", "y", "n", "garbage", "true ", " true", "truе", "ﬀ", "oﬀ", "1\u212a", "K", "1K",
	"0", "1", "2", "-1", "+1", "-0", "--1", "+-1", "- 1", "-", "+", "00", "01", "07", "08", "18", "0x", "0X1", "0x1f", "-0x1F", "0xg", "0x1g", "0b1", "0o7", "1_0", "1e3", "1.5", "１",
	"k", "0k", "1k", "1 k", "-1k", "1M", "1g", "2g", "3g", "1t", "1kb", "010k", " 1", "\t1", "\n1", "\v1", "\f1", "\r1", "\u00a01", "1 ", "1\n",
	"2147483647", "2147483648", "-2147483647", "9223372036854775807", "9223372036854775808", "-9223372036854775807",
	"18446744073709551617", "9007199254740991k", "9007199254740992k", "8589934591g", "8589934592g", "0x7fffffff", "0x80000000",
}

// typedAsGit compares what is read of a value with what git reads of it.
func typedAsGit(t *testing.T, value string) {
	t.Helper()
	read := func(kind string) (string, bool) {
		p := newProcess(context.Background(), gitLimit, []string{"config", "--type=" + kind, "a.b"})
		defer p.cancel()
		p.Env = append(p.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0="+value)
		out, err := p.run()
		return strings.TrimSuffix(string(out), "\n"), err == nil
	}
	text, known := read("bool")
	is, ours := ParseBool(value)
	require.Equal(t, known, ours, "%q as a truth value", value)
	require.Equal(t, known && text == "true", is, "%q as a truth value", value)
	text, known = read("int")
	n, ours := ParseInt(value)
	require.Equal(t, known, ours, "%q as a number", value)
	if known {
		require.Equal(t, text, strconv.FormatInt(n, 10), "%q as a number", value)
	}
}

func TestTypedValues(t *testing.T) {
	t.Parallel()
	for _, value := range typedValues {
		typedAsGit(t, value)
	}
}

// What is read of any value is what git reads of it.
func FuzzTypedValue(f *testing.F) {
	for _, value := range typedValues {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if len(value) < 100 && !strings.Contains(value, "\x00") {
			typedAsGit(t, value)
		}
	})
}
