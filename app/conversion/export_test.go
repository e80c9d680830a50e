package conversion

import (
	"time"

	"conch/app/api"
)

// Once returns each request once.
var Once = once

// Labels are the label files of a plan's model.
func (s Source) Labels() (map[string][]byte, error) { return s.labels() }

// KeepUntil has a result wait until then.
func (j *Jobs) KeepUntil(r *Result, until time.Time) {
	if _, err := j.take(r.ID); err != nil {
		panic(err)
	}
	r.Report.UntilMs = until.UnixMilli()
	j.keep(r)
}

// Overdue has the time of a result be over, while it still waits.
func (j *Jobs) Overdue(r *Result) { r.Report.UntilMs = time.Now().Add(-time.Minute).UnixMilli() }

// RandomValues are so many values of an input in bytes.
func RandomValues(datatype string, seed uint32, count int64) ([]byte, error) {
	in, err := randomInput(&api.ConvertedTensor{Datatype: datatype, Shape: []int64{count}}, seed, mostRandomBytes)
	return in.GetRaw(), err
}

// ReadRequestsUpTo is ReadRequests with another bound.
func ReadRequestsUpTo(files []string, most int64) ([]*api.InferRequest, error) {
	return readRequests(files, most, func(*api.InferRequest) error { return nil })
}
