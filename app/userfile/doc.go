// Package userfile makes files and folders that are for this user alone, and
// takes locks that one process at a time holds. It does not know what the files
// are for. Its functions may be called from everywhere at once.
package userfile
