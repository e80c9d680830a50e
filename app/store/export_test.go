package store

// SetAside reserves space now for each root that is in use.
func (s *Store) SetAside() error { return s.reserves.setAside() }

// AddTrouble has a sentence told.
func (s *Store) AddTrouble(text string) { s.addTrouble(text) }
