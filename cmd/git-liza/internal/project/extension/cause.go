package extension

import (
	"path"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/diagnosis"
	"github.com/git-liza/git-liza/gitstore/document"
)

// readCause reads the file of a cause, which has its name.
func readCause(file string, text []byte) (*diagnosis.Cause, []artifacts.Fault) {
	doc, err := document.Parse(file, text, MaxFile)
	var cause diagnosis.Cause
	if err == nil {
		err = doc.DecodeAll(&cause, artifacts.MaxFaults)
	}
	if err != nil {
		return nil, artifacts.Of(artifacts.CodeForm, err)
	}
	cause.ID = strings.TrimSuffix(path.Base(file), ".yaml")
	return &cause, artifacts.Of(artifacts.CodeValue, cause.Check())
}
