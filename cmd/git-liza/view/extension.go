package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/extension"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// ExtensionText says of an extension what it is and brings.
func ExtensionText(e extension.Installed, width int) string {
	brings := e.Brings()
	var parts []string
	for _, folder := range slices.Sorted(maps.Keys(brings)) {
		parts = append(parts, fmt.Sprintf("%d in %s", brings[folder], folder))
	}
	text := Cut(plaintext.Line(fmt.Sprintf("%s %s  %s", e.Name, e.Version, e.About)), width) + "\n"
	if len(parts) > 0 {
		text += Cut("   "+strings.Join(parts, ", "), width) + "\n"
	}
	if len(e.Wrong) > 0 {
		text += "   nothing of it is used: git liza extension check\n"
	}
	return text
}
