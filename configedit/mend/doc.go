// Package mend chooses, of the repairs that diagnostics propose for one file, those that may be made together without a
// person looking at each, and makes them. It checks nothing: the caller checks the text again afterwards.
//
// All functions are pure.
package mend
