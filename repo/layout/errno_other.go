//go:build !unix

package layout

// isNotDir: other systems answer "does not exist" when a step of the path was
// a file.
func isNotDir(error) bool { return false }
