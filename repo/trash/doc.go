// Package trash moves files and folders to the trash of the system, and puts them back. It knows nothing of models.
//
// On Linux and the BSDs that is the trash of freedesktop.org's specification 1.0, which file managers show: the home
// trash for what is on its disk, else .Trash/UID or .Trash-UID on the disk itself, so that a rename is enough. Where
// no trash on the disk takes it, it is copied to the home trash, and removed when all of it is there. Systems that
// have another trash get a folder of Conch's own, laid out in the same way.
//
// What is moved is never half there: a rename moves all of it, and a copy that does not come to its end is removed.
// A link is moved itself.
package trash
