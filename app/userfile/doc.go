// Package userfile makes files and folders that are for this user only, and takes locks that one
// process at a time holds. It does not know what the files are for. Its functions are safe for
// concurrent use.
package userfile
