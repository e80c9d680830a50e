package check

import "embed"

// Cases are the golden cases of the rules, testdata/RULE-WORDS.txtar: each a small repository whose model "bad" breaks
// the rule and whose model "near" does not. They are the tests of this package and the examples that people are shown.
//
//go:embed testdata/*.txtar
var Cases embed.FS
