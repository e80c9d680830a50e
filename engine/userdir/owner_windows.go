package userdir

import "io/fs"

// IsOurs returns false on Windows, where the owner of a file is not looked up. So folders whose owner
// matters are not used there: unsaved texts have no folder outside the data folder, and the folders
// that killed processes left are not removed.
func IsOurs(fs.FileInfo) bool { return false }

// isAlone takes every folder: the folder for temporary files belongs to one user there.
func isAlone(info fs.FileInfo) bool { return info.IsDir() }
