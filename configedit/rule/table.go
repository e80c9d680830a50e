package rule

import (
	"strings"
	"sync"
)

// subjects are all subjects, in the order in which lists show them.
var subjects = []*Subject{
	syntax, repository, modelFolder, versions, backend, batchSize, tensors, batchTensors, dynamic, sequences, states, ensembles, composing,
	instances, parameters, cache, metrics, labels, warmup, onnx, python, pytorch, tensorflow, tensorrt, releases, advice,
}

// Subjects are all subjects, in the order in which lists show them.
func Subjects() []*Subject { return subjects }

// All are all rules, subject by subject.
func All() []*Rule {
	var list []*Rule
	for _, s := range subjects {
		list = append(list, s.rules...)
	}
	return list
}

// byID finds rules. It is filled when it is asked first, since the table is complete only then.
var byID = sync.OnceValue(func() map[string]*Rule {
	m := map[string]*Rule{}
	for _, r := range All() {
		m[r.ID] = r
	}
	return m
})

// Find is the rule of an identifier, in any case of its letters; nil when there is none.
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
