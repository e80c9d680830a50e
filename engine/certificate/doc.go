// Package certificate holds the TLS certificates of a port. They are read again when their files change, so a renewed
// certificate needs no restart. Files that cannot be read, or do not fit together, change nothing: the port keeps the
// certificates that it has.
//
// A Keeper may be used by many connections at the same time.
package certificate
