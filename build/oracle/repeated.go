package main

import "fmt"

// tries is how often a story is played that does not end as recorded.
const tries = 4

// differing says that a story did not end the same way each time.
type differing int

func (d differing) Error() string { return fmt.Sprintf("%d tries had different outcomes", int(d)) }

// repeated is the outcome of a story. One try that ends as recorded is enough. Another outcome takes the place of the
// recorded one only when all tries have it: on a busy machine a batch may be late, and late twice in the same way.
func repeated(recorded string, play func() (string, error)) (string, error) {
	first := ""
	for try := range tries {
		outcome, err := play()
		if err != nil {
			return "", err
		}
		if try == 0 {
			first = outcome
		}
		switch outcome {
		case recorded:
			return recorded, nil
		case first:
		default:
			return "", differing(try + 1)
		}
	}
	return first, nil
}
