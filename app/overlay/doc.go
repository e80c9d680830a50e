// Package overlay holds the texts that are edited and not saved: one for each file, with a version that grows with
// every change, and what on disk the edit began from. Analysis reads through it, the store keeps it, and whatever
// edits files writes to it: the window, a browser, a language server.
//
// A file is named by the real path of its repository's root and its path in there, so that a draft of one repository
// never shows up in another, whatever the models are called and however the root was opened. Nothing of a root goes to
// the store until what is there is known. Where that is another text than the one here, both are kept, as draft and
// rival. Positions are lines and UTF-16 columns from 0. The package knows no models, no HTTP and no messages of the API,
// and reads no files.
//
// An Overlay and a Keeper are safe for concurrent use.
package overlay
