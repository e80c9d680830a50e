package folder

// severalGo is how many models have to go at once for a repository without any to be suddenly empty, and not emptied.
const severalGo = 2

// Vanished reports whether a repository without models has lost them by accident, so that they must be kept: several
// disappeared at once, or another folder is in its place. A single model that disappears was removed on purpose.
func Vanished(had int, replaced bool) bool { return had >= severalGo || had > 0 && replaced }
