package flow

// A Voucher is the account on a code host whose verdict a person brings.
type Voucher struct {
	Account string `yaml:"account"` // HOST/NAME
	Review  string `yaml:"review"`
	URL     string `yaml:"url"`
}

// textRefs is a list as long as the texts that a task can stand on.
type textRefs []TextRef

func (textRefs) maxLen() int { return MaxList + 1 }
