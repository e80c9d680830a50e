// Package monitor lets Go's monitor thread rest longer. That thread looks, while any goroutine runs, each 70 µs whether a call into C has kept
// one of Go's processors, which it then gives to another thread. Where models run for 10 µs, the looking costs a fifth of a server's processor
// time: each look is a switch between threads, and it takes processors away whose call is about to return.
package monitor
