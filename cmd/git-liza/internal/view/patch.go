package view

import "github.com/git-liza/git-liza/cmd/git-liza/internal/view/patch"

// PatchText presents a patch or a range-diff, as git prints it without color, on a
// terminal.
func PatchText(text string, color bool) string { return patch.Show(text, color) }

// PatchNotes presents a patch in an editor, with the numbers of the lines that findings
// name.
func PatchNotes(text string) string { return patch.Numbered(text) }
