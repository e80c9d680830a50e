// Package edit changes the text of a config and leaves everything else in it alone: inserting and removing
// fields, setting a value, and formatting. The answers are text edits, or a whole new text; nothing here reads
// or writes files, and all functions may be called concurrently.
package edit
