//go:build !unix

package folder

const nonblock = 0
