// Package sched brings requests to instances. A scheduler is an infer.Handler; it knows neither models nor
// backends: an instance is an Executor, and what an ensemble's steps run on is a Resolver.
//
// No scheduler owns a goroutine: the goroutine that brings a request runs it, alone or for others
// in the same batch, so an idle model costs nothing and a lone request changes hands never. (Timers alone run
// by themselves: for a queue whose oldest has waited long enough, for sequences that fall silent.)
package sched
