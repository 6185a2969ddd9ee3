package planforms

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// isAirsSpec reports whether a folder holds what AirsSpec keeps in .airsspec, or a part of
// it.
func isAirsSpec(tree fs.FS) bool {
	for _, name := range []string{"uow", "bolts", "plans"} {
		if isFolder(tree, name) {
			return true
		}
	}
	return isFile(tree, "airsspec.toml") || isFile(tree, specName) ||
		len(globs(tree, "*/bolts", "*/state.json", "*/status.yaml", "specs/*.yaml", "specs/*/"+specName, "*/"+specName, "*.plan.yaml")) > 0
}

// units reads what AirsSpec keeps in .airsspec.
type units struct{ *reading }

// readAirsSpec reads a tree of units of work, or one of specs.
func (r units) readAirsSpec() error {
	if err := r.checkSettings(); err != nil {
		return err
	}
	specs := r.findSpecs()
	found := r.findUnits()
	switch {
	case len(specs) > 0 && len(found) > 0:
		return refusef([]string{"uow", "specs"}, "the folder has units of work and specs, which are two versions of AirsSpec: uow, specs; say which")
	case len(specs) > 0:
		return r.readSpecs(specs)
	case len(found) > 0:
		return r.readUnits(found)
	case r.hasFolder("plans"):
		r.report.System = "AirsSpec"
		return r.readBolts(unit{dir: ".", id: path.Base(path.Dir(path.Dir(r.within)))}, []string{"."})
	}
	return refusef(nil, "there is no plan: neither a unit of work in uow nor a spec in specs")
}

var versionPattern = pattern.Late(`(?m)^(?:schema_version|format_version|version)\s*=\s*"?([^"\s]+)"?\s*$`)

// checkSettings refuses a version that nobody here knows.
func (r units) checkSettings() error {
	for _, name := range []string{"config.toml", "airsspec.toml"} {
		if !r.has(name) {
			continue
		}
		text, err := r.text(name)
		if err != nil {
			r.fail(name, err)
			return r.err
		}
		r.leave(name, 1, "the file", "the settings of the board are its own")
		if m := versionPattern().FindStringSubmatch(text); m != nil {
			if major, _, _ := strings.Cut(m[1], "."); major != "0" && major != "1" {
				return refusef(nil, "%s has version %.20q of AirsSpec, which is not known here; versions 0 and 1 are", name, m[1])
			}
		}
	}
	return nil
}

// A unit is a unit of work.
type unit struct {
	dir   string
	id    string
	line  int
	state string // "" if it says none
	fix   bool   // it needs no documents
}

// findUnits finds the units of work: those of uow, of the folder, or the folder itself.
func (r units) findUnits() (list []unit) {
	if r.hasFolder("bolts") || r.has("state.json") || r.has("status.yaml") && !r.hasFolder("plans") {
		return []unit{r.unit(".")}
	}
	for _, dir := range append(r.foldersIn("uow"), r.foldersIn(".")...) {
		if r.hasFolder(dir+"/bolts") || r.has(dir+"/state.json") || r.has(dir+"/status.yaml") || path.Dir(dir) == "uow" {
			list = append(list, r.unit(dir))
		}
	}
	return list
}

var fixPattern = pattern.Late(`^(?:fix|refactor|optimize|hotfix)-`)

// unit reads what a unit of work says of itself.
func (r units) unit(dir string) unit {
	u := unit{dir: dir, id: path.Base(path.Join(r.within, dir)), line: 1}
	u.fix = fixPattern().MatchString(u.id)
	if name := path.Join(dir, "state.json"); r.has(name) {
		v := r.structured(name)
		u.state = textOf(v.Key("phase"))
		r.leaveKeys(name, v, "id", "phase", "created_at", "updated_at", "transitions", "artifacts")
		for _, m := range v.Key("artifacts").Members() {
			if to := textOf(m.Value.Key("path")); to != "" && !r.has(path.Join(dir, to)) {
				r.leave(name, m.Line, "artifacts."+m.Key, to+" is not there")
			}
		}
	}
	if name := path.Join(dir, "status.yaml"); r.has(name) {
		v := r.structured(name)
		u.state, u.fix = textOf(v.Key("status")), u.fix || strings.HasPrefix(textOf(v.Key("type")), "hotfix")
		r.leaveKeys(name, v, "id", "type", "status", "created_at", "updated_at", "progress", "metadata")
		for _, m := range v.Key("metadata").Members() {
			r.leave(name, m.Line, "metadata."+m.Key, "a goal has nothing of this kind")
		}
	}
	return u
}

// readUnits reads the one unit of work that is not finished.
func (r units) readUnits(list []unit) error {
	r.report.System = "AirsSpec, state.json"
	if slices.ContainsFunc(r.names, func(name string) bool { return path.Base(name) == "status.yaml" }) {
		r.report.System = "AirsSpec, status.yaml"
	}
	open := slices.DeleteFunc(slices.Clone(list), func(u unit) bool { return isEnded(u.state) || isGivenUp(u.state) })
	if len(list) == 1 {
		open = list
	}
	for _, u := range list {
		if !slices.Contains(open, u) {
			r.leave(u.dir, 1, "the unit of work", "it is "+u.state)
			r.takeBelow(u.dir)
		}
	}
	switch len(open) {
	case 0:
		return r.err
	case 1:
	default:
		dirs := make([]string, len(open))
		for i, u := range open {
			dirs[i] = u.dir
		}
		return refusef(dirs, "there are %d open units of work, and a plan is one of them: %s", len(open), strings.Join(dirs, ", "))
	}
	u := open[0]
	missing := r.missingOf(u)
	bolts := r.foldersIn(path.Join(u.dir, "bolts"))
	if len(bolts) == 0 && !r.has(path.Join(u.dir, "bolts/plan.json")) {
		return refusef(nil, "the unit of work %s has no bolts, so that nothing of it is planned; not there: %s", u.id, strings.Join(append(missing, "bolts"), ", "))
	}
	r.feature = u.id
	for _, name := range missing {
		r.lack(path.Join(u.dir, name), "AirsSpec asks for it before bolts")
	}
	return r.readBolts(u, bolts)
}

// missingOf are the documents that a unit of work lacks.
func (r units) missingOf(u unit) (missing []string) {
	if u.fix {
		return nil
	}
	if !r.has(path.Join(u.dir, "PRD.md")) && !r.has(path.Join(u.dir, "requirements.md")) {
		missing = append(missing, "PRD.md")
	}
	for _, name := range []string{"DAA.md", "RFC.md"} {
		if !r.has(path.Join(u.dir, name)) {
			missing = append(missing, name)
		}
	}
	if !slices.ContainsFunc(r.filesIn(u.dir), func(name string) bool { return strings.HasPrefix(path.Base(name), "ADR-") }) {
		missing = append(missing, "ADR-*.md")
	}
	return missing
}
