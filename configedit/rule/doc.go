// Package rule is the table of everything that Conch says about a config and its folder. Each rule has an identifier,
// the moment when Triton checks it, Triton's own sentence, and an explanation for people.
//
// The code that finds broken rules is elsewhere: in the parser (configedit/text, configedit/modelconfig), the checks
// (configedit/check) and the code that reads folders. That code names the rule; the rule's code, severity, stage and
// sentence come from here.
//
// To add a rule, add one value to the file of its subject, and one golden case to configedit/check/testdata that is
// named after it: a model "bad" that breaks the rule and a model "near" that does not. The case is the example that
// `conch explain` shows.
//
// The values never change. All functions may be called concurrently.
package rule
