package folder

// severalGo is how many models have to go at once for a repository without any to be suddenly empty, and not emptied.
const severalGo = 2

// Vanished reports whether a repository that had models and has none now has lost them by accident, so that they are to be kept:
// several are gone at once, or another folder is in its place. One model that is gone was removed.
func Vanished(had int, replaced bool) bool { return had >= severalGo || had > 0 && replaced }
