// Package toolchain holds which Go and Node.js set-up fetches where the system's are missing or too old, and a test of when it
// does. toolchain.sh is a part of build/setup.sh.
package toolchain
