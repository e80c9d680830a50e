// Package histogram counts values in exponential buckets, eight to each doubling. Each bucket is 9 % wide,
// which is as exact as a percentile on a screen needs to be, and two histograms merge by adding their counts.
//
// The engine counts with Live. Counts is a copy: it is sent, merged, compared and kept.
package histogram
