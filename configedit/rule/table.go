package rule

import (
	"strings"
	"sync"
)

// subjects are all subjects, in the order in which lists show them.
var subjects = []*Subject{
	syntax, repository, modelFolder, versions, backend, batchSize, tensors, batchTensors, dynamic, sequences, states, ensembles, composing,
	instances, parameters, cache, metrics, labels, warmup, onnx, python, pytorch, tensorflow, openVINO, tensorrt, releases, advice,
}

// Subjects returns all subjects, in the order in which lists show them.
func Subjects() []*Subject { return subjects }

// All returns all rules, subject by subject.
func All() []*Rule {
	var list []*Rule
	for _, s := range subjects {
		list = append(list, s.rules...)
	}
	return list
}

// byID maps identifiers to rules. It is filled on the first call, because the table is complete only then.
var byID = sync.OnceValue(func() map[string]*Rule {
	m := map[string]*Rule{}
	for _, r := range All() {
		m[r.ID] = r
	}
	return m
})

// Find returns the rule with an identifier, ignoring case, or nil if there is none.
func Find(id string) *Rule {
	if r := byID()[id]; r != nil {
		return r
	}
	for _, r := range All() {
		if strings.EqualFold(r.ID, id) {
			return r
		}
	}
	return nil
}
