package apimessage

import (
	"conch/app/api"
	"conch/engine/agreement"
)

// Agreement is how far two outputs agree, without their names.
func Agreement(d agreement.Difference) *api.OutputAgreement {
	return &api.OutputAgreement{
		Elements: uint64(d.Elements), Equal: uint64(d.Equal), Absolute: d.Absolute, Relative: d.Relative, Cosine: d.Cosine,
		Odd: uint64(d.Odd), Rows: uint64(d.Rows), SameRows: uint64(d.SameRows),
	}
}
