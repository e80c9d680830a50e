// Package sched brings requests to instances. A scheduler is an infer.Handler; it knows neither models nor
// backends: an instance is an Executor, and a Resolver finds the models of an ensemble's steps.
//
// No scheduler has a goroutine of its own. The goroutine that brings a request runs it, alone or with the
// others of its batch. So an idle model costs nothing, and a request that comes alone never changes its
// goroutine. (Only timers run by themselves: when the oldest request of a queue has waited long enough, and
// when a sequence is idle for too long.)
package sched
