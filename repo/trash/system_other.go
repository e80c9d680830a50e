//go:build !unix

package trash

import "io/fs"

func isOwn(fs.FileInfo) bool { return true }

func keepOwner(string, fs.FileInfo) {}

func canWrite(string) bool { return true }

func topOf(string) string { return "" }

// MountBelow returns "": elsewhere folders are not mounts.
func MountBelow(string) string { return "" }
