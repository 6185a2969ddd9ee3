package flow

// RoleMove adds, replaces or removes a role.
type RoleMove struct {
	Row     RoleRow `yaml:"row"` // of a removal, the name alone
	Remove  bool    `yaml:"remove"`
	Replace bool    `yaml:"replace"`
}

func (r *RoleMove) subject() string { return string(r.Row.Name) }

func (r *RoleMove) already(*play) bool { return false }

func (r *RoleMove) check(*play) *Refusal { return unbuilt() }

func (r *RoleMove) apply(*effect) {}
