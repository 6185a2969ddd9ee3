package launcher

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/gitstore/document"
)

// A Named is a way to make containers that people choose by a name.
type Named struct {
	Name      string `yaml:"name"`
	Engine    string `yaml:"engine"`
	Image     string `yaml:"image"`
	User      string `yaml:"user"`
	Memory    string `yaml:"memory"`
	Processes int    `yaml:"processes"`
}

// ReadNamed reads a file with a list of them.
func ReadNamed(name string, text []byte) (list []Named, err error) {
	if err := document.Decode(name, text, &list); err != nil {
		return nil, err
	}
	for i, n := range list {
		switch {
		case n.Name == "" || slices.Contains([]string{Process, InContainer, Auto}, n.Name):
			return nil, fmt.Errorf("a launcher has a name of its own, not %q", n.Name)
		case slices.ContainsFunc(list[:i], func(o Named) bool { return o.Name == n.Name }):
			return nil, fmt.Errorf("two launchers are named %s", n.Name)
		case n.Processes < 0:
			return nil, fmt.Errorf("%s: processes is a number from 1 on, not %d", n.Name, n.Processes)
		}
	}
	return list, nil
}

// Over are the settings of a launcher where s does not say otherwise.
func (n Named) Over(s Settings) Settings {
	return Settings{Kind: InContainer, Engine: cmp.Or(s.Engine, n.Engine), Image: cmp.Or(s.Image, n.Image), User: cmp.Or(s.User, n.User),
		Memory: cmp.Or(s.Memory, n.Memory), Processes: cmp.Or(s.Processes, n.Processes)}
}
