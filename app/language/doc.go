// Package language says everything that can be said about the configs of a repository: what each means once it
// is filled in, what is wrong with it, what fits at the cursor, how an ensemble is wired. It joins the pure
// functions of configedit with what lies on disk, so that a text is always judged among the repository's other
// models, whether it is saved or being typed.
//
// An Analysis belongs to one scan of the repository. It works on demand and remembers: what did not change between
// two scans is not read again. All of it is safe for concurrent use.
package language
