package store

// AddTrouble has a sentence told.
func (s *Store) AddTrouble(text string) { s.addTrouble(text) }
