package main

import (
	"regexp"
	"slices"
	"strings"

	"conch/build/oracle/recorded"
)

// outcome is how an answer and the findings about the same model compare.
type outcome string

const (
	agree outcome = "agree"
	// beside is an answer that only this machine or this release gives: it has no GPU, and lacks most backends.
	beside   outcome = "beside"
	verdict  outcome = "verdict" // one takes what the other refuses
	words    outcome = "words"   // both refuse, for different reasons
	unnamed  outcome = "unnamed" // Conch refuses, and does not know Triton's words
	survived outcome = "survived"
	// filled is a config that both take and complete differently.
	filled outcome = "filled"
)

// machines are refusals that tell about the server's machine, not about the model.
var machines = regexp.MustCompile(`no GPUs are available|invalid or unsupported gpu id|` +
	`unable to find backend library for backend '|Failed to load library |` +
	`unable to find 'libtritonrepoagent_|TRITON_BATCH_STRATEGY_PATH|Batching library path`)

// automatic is said of KIND_AUTO with GPUs where there are none.
const automatic = "has kind KIND_CPU but specifies one or more GPUs"

// outer is a sentence about another model without what that one failed with.
func outer(sentence string) string {
	before, _, _ := strings.Cut(sentence, " failed with error: ")
	return before
}

// unordered are rules whose first offender depends on the order of a hash map in Triton.
var unordered = []string{"E9", "E13", "E14", "EV2", "EV3", "EV4", "EV5", "EV6", "EV8", "D1", "D3", "D4", "D5", "WU1", "WU2", "WU3", "WU4", "WU5", "WU6", "WU7"}

// instance is the number of an instance in a sentence about it: any of them may fail first.
var instance = regexp.MustCompile(`_[0-9]+', max allowed is`)

func compare(a recorded.Answer, found []finding) outcome {
	a.Words = instance.ReplaceAllString(a.Words, "_0', max allowed is")
	first, errors := -1, 0
	for i, f := range found {
		if f.Severity != "error" {
			continue
		}
		errors++
		if f.First {
			first = i
		}
	}
	switch {
	case machines.MatchString(a.Words):
		return beside
	case a.Died && errors > 0:
		return agree
	case a.Died:
		return survived
	case strings.Contains(a.Words, automatic) && !slices.ContainsFunc(found, func(f finding) bool { return contains(a.Words, f.Triton) }):
		return beside
	case missingLibrary(a, found):
		return beside // Conch only warns: somebody may have installed it
	case !a.Taken && errors == 0 && slices.ContainsFunc(found, func(f finding) bool { return mayFill(f) && contains(a.Words, f.Triton) }):
		return beside // Conch only warns: nobody knows what a program fills in until it runs
	case a.Taken == (errors > 0):
		return verdict
	case a.Taken:
		return agree
	case first < 0:
		return unnamed
	case contains(a.Words, found[first].Triton):
		return agree
	}
	if slices.ContainsFunc(found, func(f finding) bool { return slices.Contains(unordered, f.Code) && contains(a.Words, outer(f.Triton)) }) &&
		slices.Contains(unordered, found[first].Code) {
		return agree
	}
	return words
}

// missingLibrary tells of a model whose backend is not there, or of an ensemble that is made of one.
func missingLibrary(a recorded.Answer, found []finding) bool {
	return strings.Contains(a.Words, "unable to find backend library '") &&
		(strings.Contains(a.Words, "which has no loaded version") || slices.ContainsFunc(found, func(f finding) bool { return f.Code == "L11" }))
}

func mayFill(f finding) bool { return strings.HasSuffix(f.Message, "; the backend may fill it in") }

func hasError(found []finding) bool {
	return slices.ContainsFunc(found, func(f finding) bool { return f.Severity == "error" })
}

// contains holds sentences against each other; the server writes U+FFFD for bytes that are no text.
func contains(words, sentence string) bool {
	if before, _, lists := strings.Cut(sentence, "Got input(s) ["); lists { // in the order of a hash map
		sentence = before
	}
	return sentence != "" && strings.Contains(words, strings.ToValidUTF8(sentence, "\ufffd"))
}
