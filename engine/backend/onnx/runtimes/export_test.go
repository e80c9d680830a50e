package runtimes

import "runtime"

// OfferFor is an offer for tests: a package without parts for one system.
func OfferFor(name, pkg, version, sum string) Offer {
	return Offer{Name: name, Package: pkg, Version: version, wheels: map[string]Wheel{
		runtime.GOOS + "/" + runtime.GOARCH: {Tags: []string{"any"}, Bytes: 1000, SHA256: sum},
	}}
}

// SumOf is the SHA-256 of a file.
var SumOf = sumOf

// Joined are adapters as devices, each once.
var Joined = joined

// With is an offer with a further package.
func (o Offer) With(more Offer) Offer {
	o.with = &more
	return o
}

// IntelIn reports whether a machine has something of Intel.
var IntelIn = intelIn
