package recovery

// SetAside reserves space now for each root that is in use.
func (f *Files) SetAside() error { return f.reserves.setAside() }

// MakeNext makes a file as a program does that is killed before it is in the place of another one.
var MakeNext = makeNext

// LeftoverAge is the age from which such a file is removed.
const LeftoverAge = leftoverAge
