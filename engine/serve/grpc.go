package serve

import (
	"compress/gzip"
	"fmt"

	grpcgzip "google.golang.org/grpc/encoding/gzip"
)

// compression sets the compression level of responses, and reports whether they are compressed.
func (f *Flags) compression() (bool, error) {
	level, on := map[string]int{"low": gzip.BestSpeed, "medium": 6, "high": gzip.BestCompression}[f.GRPCCompress]
	if !on {
		return false, nil
	}
	if err := grpcgzip.SetLevel(level); err != nil {
		return false, fmt.Errorf("--grpc-infer-response-compression-level: %w", err)
	}
	return true, nil
}
