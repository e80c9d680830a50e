package remote

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

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
	about, err := opts.ask(ctx)
	if err != nil {
		return About{}, opts.refusal(ctx, err)
	}
	return about, nil
}

func (o Options) ask(ctx context.Context) (About, error) {
	conn, err := o.dial(new(pulse.Pulse))
	if err != nil {
		return About{}, err
	}
	defer func() { _ = conn.Close() }()
	calls := kservepb.NewGRPCInferenceServiceClient(conn)
	about, err := calls.ServerMetadata(ctx, &kservepb.ServerMetadataRequest{}, grpc.WaitForReady(false))
	if err != nil {
		return About{}, err
	}
	index, err := indexOf(ctx, calls)
	if err != nil {
		return About{}, err
	}
	names := map[string]bool{}
	for _, m := range index.Models {
		names[m.Name] = true
	}
	return About{shortened(about.Name), shortened(about.Version), len(names)}, nil
}

// reach asks a server over a connection of its own whether it answers. It does not wait for one that refuses the connection.
func (o Options) reach(ctx context.Context) error {
	conn, err := o.dial(new(pulse.Pulse))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = kservepb.NewGRPCInferenceServiceClient(conn).ServerMetadata(ctx, &kservepb.ServerMetadataRequest{}, grpc.WaitForReady(false))
	return err
}

// indexOf lists a server's models. Not every server of KServe's protocol can: the error says so.
func indexOf(ctx context.Context, calls kservepb.GRPCInferenceServiceClient, opts ...grpc.CallOption) (*kservepb.RepositoryIndexResponse, error) {
	index, err := calls.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{}, opts...)
	if status.Code(err) != codes.Unimplemented {
		return index, err
	}
	about, unknown := calls.ServerMetadata(ctx, &kservepb.ServerMetadataRequest{})
	if unknown != nil {
		return nil, err
	}
	return nil, status.Errorf(codes.FailedPrecondition, "%s %s answers, but it does not list its models, so Conch cannot show them. "+
		"Conch shows Triton, and servers that have Triton's model repository extension", about.Name, about.Version)
}
