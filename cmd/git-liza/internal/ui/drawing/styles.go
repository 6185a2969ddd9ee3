package drawing

import _ "embed"

// Styles are the styles of all drawings, for light and dark screens. States differ in
// colour, but are named in words too.
//
//go:embed styles.css
var Styles string
