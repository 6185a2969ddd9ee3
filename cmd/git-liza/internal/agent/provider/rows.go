package provider

import (
	"cmp"
	"fmt"

	"github.com/git-liza/git-liza/gitstore/document"
)

// ReadRows reads rows that are not built in from a file of the form of the built-in
// catalogue. What a row does not say of its usage is as in rows of the user's own. The
// error is that of [document.Decode], a [*ConfigError], or says that a name is wrong.
func ReadRows(name string, text []byte) (rows []Row, err error) {
	if err := document.Decode(name, text, &rows); err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		if !rowName().MatchString(r.Name) {
			return nil, fmt.Errorf("no provider is named %q: lower-case letters, digits and -", r.Name)
		}
		if builtinRows().FindRow(r.Name) != nil || Catalogue(rows[:i]).FindRow(r.Name) != nil {
			return nil, fmt.Errorf("there is a provider %s already", r.Name)
		}
		own := ownRow(r.Name, "of "+name)
		r.About, r.Env = cmp.Or(r.About, own.About), append(r.Env, own.Env...)
		full := func(key string) string { return r.Name + ": " + key }
		for _, err := range []error{
			chooseWord(&r.Usage, full("usage"), string(cmp.Or(r.Usage, own.Usage)), PerRun, PerSession, CostPerSession),
			chooseWord(&r.Tokens, full("tokens"), string(cmp.Or(r.Tokens, own.Tokens)), CountsCalls, CountsEnd, CountsNever, CountsFree),
			chooseWord(&r.Cost, full("cost"), string(cmp.Or(r.Cost, own.Cost)), CountsCalls, CountsEnd, CountsNever, CountsFree),
			chooseWord(&r.Commit, full("commit"), string(cmp.Or(r.Commit, own.Commit)), ByAgent, BySupervisor),
			chooseWord(&r.Ends, full("ends"), string(r.Ends), EndsHeld, EndsTold, ""),
			chooseWord(&r.Contract, full("contract"), string(cmp.Or(r.Contract, own.Contract)), Full, Partial, Unknown),
			r.checkRow(),
		} {
			if err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}
