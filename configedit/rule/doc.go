// Package rule is the table of everything that Conch says about a config and its folder: each rule with its identifier,
// the moment at which Triton looks, Triton's own sentence, and the words that explain it to a person.
//
// What looks for a broken rule is elsewhere: the parser (configedit/text, configedit/modelconfig), the checks
// (configedit/check) and the readers of folders. They name the rule; code, severity, stage and sentence come from here.
//
// To add a rule, add one value to the file of its subject, and one golden case to configedit/check/testdata that is
// named after it: a model "bad" that breaks the rule and a model "near" that does not. The case is the example that
// `conch explain` shows.
//
// The values are never changed; all functions may be called concurrently.
package rule
