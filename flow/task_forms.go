package flow

// Loaded is the document in the form in which the rules read it, whatever
// version wrote it. It may change the document, which nothing else holds yet.
// It changes nothing in a document that has been loaded before.
func Loaded(d Document) Document { return d }

// Stored is the document in the form in which boards of a version of the rules
// keep it: a copy where anything differs.
func Stored(d Document, rules int) Document {
	_ = rules
	return d
}
