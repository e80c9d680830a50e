package modelconfig

// Reshaped turns a shape that fits the dims from, behind its first lead sizes, into one that fits the dims to, as a `reshape` does. The variable sizes keep
// their order. A shape that does not fit is not changed.
func Reshaped(shape []int64, lead int, from, to []int64) []int64 {
	lead = min(lead, len(shape))
	item := shape[lead:]
	if len(item) != len(from) {
		return shape
	}
	var variable []int64
	for i, d := range from {
		switch d {
		case -1:
			variable = append(variable, item[i])
		case item[i]:
		default:
			return shape
		}
	}
	result := append(make([]int64, 0, lead+len(to)), shape[:lead]...)
	for _, d := range to {
		if d == -1 && len(variable) > 0 {
			d, variable = variable[0], variable[1:]
		}
		result = append(result, d)
	}
	return result
}
