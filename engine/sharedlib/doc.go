// Package sharedlib judges shared libraries by their files, before anybody opens them. A library that was cut off ends the process
// with SIGBUS when a missing page of it is touched, so it has to be found out first.
//
// It tells for which system and processor a library is made (platform.go), since loaders speak of something else when that is another one.
//
// It knows where Linux's loader looks for a library (places.go, cache.go), but opens none. Files that are not ELF files, as
// those of other systems, are left to the system to judge.
package sharedlib
