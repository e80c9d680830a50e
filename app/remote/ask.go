package remote

import (
	"context"

	"google.golang.org/grpc"

	"conch/app/pulse"
	"conch/engine/kserve/kservepb"
)

// About is what a server says of itself.
type About struct {
	Name, Version string
	Models        int
}

// Ask asks a server once what it is. It does not wait for one that refuses the connection.
func Ask(ctx context.Context, opts Options) (About, error) {
	conn, err := opts.dial(new(pulse.Pulse))
	if err != nil {
		return About{}, err
	}
	defer func() { _ = conn.Close() }()
	calls := kservepb.NewGRPCInferenceServiceClient(conn)
	about, err := calls.ServerMetadata(ctx, &kservepb.ServerMetadataRequest{}, grpc.WaitForReady(false))
	if err != nil {
		return About{}, err
	}
	index, err := calls.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{})
	if err != nil {
		return About{}, err
	}
	names := map[string]bool{}
	for _, m := range index.Models {
		names[m.Name] = true
	}
	return About{about.Name, about.Version, len(names)}, nil
}
