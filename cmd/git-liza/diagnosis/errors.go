package diagnosis

// An Error is what a compiler, a runtime or a shell reports.
type Error struct {
	Language    string   `json:"language"` // go, python, javascript, rust, java, c, shell
	Type        string   `json:"type"`     // as the language names it
	Message     string   `json:"message"`
	File        string   `json:"file"`
	Line        int      `json:"line"` // in the file, 0 if it is not known
	Function    string   `json:"function"`
	Causes      []string `json:"causes"`      // the chain of causes, the first one last
	Fingerprint string   `json:"fingerprint"` // equal for errors that differ in numbers, paths, addresses and quoted words; "" of an error without a word

	at int // the index of its line in the text
}

func findErrors(lines []line) []Error { return nil }
