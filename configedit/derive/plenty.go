package derive

const (
	copiesPerProcessor = 16
	leastPlenty        = 256
	largeMachine       = 64
)

// Plenty is how many instances or threads are more than a machine can put to use, by any measure. Where the number of its processors is
// not known (0), a large machine is meant.
func Plenty(processors int) int {
	if processors == 0 {
		processors = largeMachine
	}
	return max(leastPlenty, copiesPerProcessor*processors)
}
