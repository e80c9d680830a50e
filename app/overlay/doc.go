// Package overlay holds the texts that are edited and not saved. There is one for each file, with a
// version that grows with every change, and with the text on disk that the edit began from. The
// analysis reads files through the overlay, and the store keeps it. All that edits files writes to it:
// the window, a browser, a language server.
//
// A file is named by the real path of its repository's root and by its path in that root. So a draft
// of one repository never shows up in another, whatever the models are called and however the root was
// opened. Nothing of a root is written to the store until the store's drafts of that root are read.
// Where the store has a different text of a file, both are kept, as draft and rival. Positions are
// lines and UTF-16 columns from 0. The package knows nothing of models, HTTP and the messages of the
// API, and reads no files.
//
// An Overlay and a Keeper are safe for concurrent use.
package overlay
