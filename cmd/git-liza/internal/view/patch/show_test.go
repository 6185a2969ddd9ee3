package patch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a terminal obeys or hides is written out, so that a reviewer sees what is there.
func TestShowHidesNothing(t *testing.T) {
	t.Parallel()
	const text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\r\n--- two\n+\x1b[8mthree\x1b[m\u202e\x9b\xff\n+++ four\u200b\n\\ No newline at end of file\ndiff --git a/y b/y\n"
	require.Equal(t, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one^M\n--- two\n+^[[8mthree^[[m<U+202E><9b><ff>\n+++ four<U+200B>\n\\ No newline at end of file\ndiff --git a/y b/y\n",
		Show(text, false))
	require.Equal(t, "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\x1b[36m@@ -1,2 +1,3 @@\x1b[m\n one^M\n\x1b[31m--- two\x1b[m\n"+
		"\x1b[32m+^[[8mthree^[[m<U+202E><9b><ff>\x1b[m\n\x1b[32m+++ four<U+200B>\x1b[m\n\\ No newline at end of file\n\x1b[1mdiff --git a/y b/y\x1b[m\n", Show(text, true))
	require.Equal(t, "\x1b[1m1:  1111111 ! 1:  2222222 Work\x1b[m\n\x1b[36m    @@ a.txt (new)\x1b[m\n     +one\n\x1b[31m    -+two\x1b[m\n\x1b[32m    ++three\x1b[m\n",
		Show("1:  1111111 ! 1:  2222222 Work\n    @@ a.txt (new)\n     +one\n    -+two\n    ++three\n", true))
}

// An editor shows the line that a finding has to name.
func TestNumbered(t *testing.T) {
	t.Parallel()
	require.Equal(t, "       --- a/x\n       +++ b/x\n       @@ -3,2 +9,3 @@ f\n     9  one\n       -two\n    10 +three^[\n    11 +four\n       \\ No newline at end of file\n",
		Numbered("--- a/x\n+++ b/x\n@@ -3,2 +9,3 @@ f\n one\n-two\n+three\x1b\n+four\n\\ No newline at end of file\n"))
}
