package store

// SetAside reserves space now for each root that is in use.
func (s *Store) SetAside() error { return s.reserves.setAside() }

// AddTrouble has a sentence told.
func (s *Store) AddTrouble(text string) { s.addTrouble(text) }

// MakeNext makes a file as a program does that is killed before it is in the place of another one.
var MakeNext = makeNext

// LeftoverAge is the age from which such a file is removed.
const LeftoverAge = leftoverAge
