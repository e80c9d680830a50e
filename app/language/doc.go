// Package language answers all questions about the configs of a repository: what a config means once
// it is filled in, what is wrong with it, what can be typed at the cursor, how an ensemble is wired.
// It joins the pure functions of configedit with the files on disk. So a text, saved or being typed,
// is always judged together with the repository's other models.
//
// An Analysis belongs to one scan of the repository. It works on demand and keeps its results: what
// did not change between two scans is not read again. All of it is safe for concurrent use.
package language
