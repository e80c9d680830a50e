package serve

import (
	"compress/gzip"
	"fmt"

	grpcgzip "google.golang.org/grpc/encoding/gzip"

	"conch/engine/kserve/grpcapi"
)

// compression returns the compressors of a level of --grpc-infer-response-compression-level, in the order of Triton's
// gRPC library; none for the level none.
func (f *Flags) compression() ([]string, error) {
	level, on := map[string]int{"low": gzip.BestSpeed, "medium": 6, "high": gzip.BestCompression}[f.GRPCCompress]
	if !on {
		return nil, nil
	}
	if err := grpcgzip.SetLevel(level); err != nil {
		return nil, fmt.Errorf("--grpc-infer-response-compression-level: %w", err)
	}
	if f.GRPCCompress == "low" {
		return []string{grpcgzip.Name, grpcapi.Deflate}, nil
	}
	return []string{grpcapi.Deflate, grpcgzip.Name}, nil
}
