package store

// AddTrouble reports a sentence as trouble.
func (s *Store) AddTrouble(text string) { s.addTrouble(text) }
