package recovery

// SetAside reserves space now for each root that is in use.
func (f *Files) SetAside() error { return f.reserves.setAside() }

// MakeNext makes a file as a program leaves it that is killed before the file replaces another one.
var MakeNext = makeNext

// LeftoverAge is the age from which such a file is removed.
const LeftoverAge = leftoverAge
