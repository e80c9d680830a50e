package diag

import "strconv"

// Number is a count as people read it: 4,000,000.
type Number uint64

func (n Number) String() string {
	digits := strconv.FormatUint(uint64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
