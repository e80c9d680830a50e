// Package write changes a model repository: it saves files atomically,
// makes new models, versions and files, and renames models.
//
// A save is all or nothing. The content goes to a temporary file beside the
// target, is flushed to the disk, and takes the target's place by a rename; a
// reader, Triton included, sees the old file or the new one, never half. When
// anything fails the old file is as it was, and no temporary file is left.
//
// A save names the Version that was being edited. If the file on disk has
// another content by now, nothing is written and a *ConflictError brings what
// is there.
//
// What a rename cannot keep: a hard link to the file keeps the old content,
// and extended attributes are lost. Permissions are kept, and owner and group
// where the user may set them. All functions may be called from any goroutine.
package write
