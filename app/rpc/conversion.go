package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/workspace"
	"conch/repo/scan"
)

// conversionService turns ONNX models into others.
type conversionService struct{ *Server }

// source finds what can be converted of a model of the open repository.
func (s *conversionService) source(name string) (conversion.Source, error) {
	_, m, err := s.model(name)
	if err != nil {
		return conversion.Source{}, err
	}
	return conversion.Of(m)
}

// DescribeConversion says what can be made of a model.
func (s *conversionService) DescribeConversion(
	ctx context.Context, r *connect.Request[api.DescribeConversionRequest],
) (*connect.Response[api.DescribeConversionResponse], error) {
	source, err := s.source(r.Msg.Model)
	switch {
	case errors.Is(err, conversion.ErrUnfit):
		return connect.NewResponse(&api.DescribeConversionResponse{Refused: err.Error()}), nil
	case err != nil:
		return nil, err
	}
	out, err := s.Runtimes.ConvertTools(ctx)
	if err != nil {
		return nil, unmet(err)
	}
	saved, err := conversion.Saved(ctx, s.Store, s.Workspace.HistoryKey(), r.Msg.Model)
	if err != nil {
		return nil, err
	}
	out.SavedRequests, out.NextVersion = uint32(len(saved)), source.Next()
	out.Usual, out.UsualOfPlan = source.Usual(conversion.FP16).Number, source.Usual(conversion.Plan).Number
	out.Inputs, out.MaxBatchSize = source.Inputs(), source.Config.GetMaxBatchSize()
	if out.Waiting, err = s.conversions.Waiting(source); err != nil {
		return nil, err
	}
	for _, v := range source.Versions {
		out.Versions = append(out.Versions, &api.ConvertibleVersion{Version: v.Number, File: source.File, Bytes: uint64(source.Size(v)), Narrowed: source.Narrowed(v)})
	}
	return connect.NewResponse(out), nil
}

// InstallConverter installs the tools. When the window ends the call, nothing is left of them.
func (s *conversionService) InstallConverter(
	ctx context.Context, _ *connect.Request[api.InstallConverterRequest], stream *connect.ServerStream[api.ConversionEvent],
) error {
	return unmet(s.Runtimes.InstallConverter(ctx, stream.Send))
}

// Convert makes the new model beside the repository. When the window ends the call, nothing is left.
func (s *conversionService) Convert(ctx context.Context, r *connect.Request[api.ConvertRequest], stream *connect.ServerStream[api.ConversionEvent]) error {
	source, err := s.source(r.Msg.Model)
	if err != nil {
		return err
	}
	requests, err := conversion.Typed(r.Msg.Typed)
	if err != nil {
		return invalid(err)
	}
	if r.Msg.Json != "" {
		more, err := conversion.ParseRequests("What is written here", []byte(r.Msg.Json))
		if err != nil {
			return invalid(err)
		}
		requests = append(requests, more...)
	}
	var saved []*api.InferRequest
	if !r.Msg.WithoutSaved {
		if saved, err = conversion.Saved(ctx, s.Store, s.Workspace.HistoryKey(), r.Msg.Model); err != nil {
			return err
		}
	}
	done, err := s.conversions.Run(ctx, conversion.Order{
		Source: source, Version: r.Msg.Version, Becomes: r.Msg.Becomes, Saved: saved,
		ConversionOrder: &api.ConversionOrder{
			Target: r.Msg.Target, Dynamic: r.Msg.Dynamic, Requests: requests, Keep: r.Msg.Keep, Plan: r.Msg.Plan,
		},
	}, stream.Send)
	if err != nil {
		return unmet(err)
	}
	return stream.Send(&api.ConversionEvent{Report: done.Report})
}

// WriteConversion puts what was made into the repository.
func (s *conversionService) WriteConversion(
	_ context.Context, r *connect.Request[api.WriteConversionRequest],
) (*connect.Response[api.WriteConversionResponse], error) {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return nil, err
	}
	defer stay.End()
	result, err := s.conversions.Find(r.Msg.Id)
	if err != nil {
		return nil, err
	}
	if err := stay.Reach(result.Source(), workspace.ThenRetry); err != nil {
		return nil, err
	}
	if m, known := stay.Disk().Model(result.Source()); !known || !result.Of(m.Scan.Dir) {
		return nil, fmt.Errorf("%w, which does not have the model that was converted. Open its repository again to write the new one", workspace.ErrOtherRepository)
	}
	forget := func() {}
	if result.Model() != result.Source() {
		forget = stay.Expect(result.Model(), workspace.Created)
	}
	written, err := s.conversions.Write(r.Msg.Id, r.Msg.Version)
	if err != nil {
		forget()
		return nil, err
	}
	stay.Touch(written.Dir)
	return connect.NewResponse(&api.WriteConversionResponse{Folder: written.Dir, Model: written.Model, Version: written.Version}), nil
}

// DiscardConversion removes what was made of a model of the open repository. The model itself may be gone. What is gone already is no error.
func (s *conversionService) DiscardConversion(
	_ context.Context, r *connect.Request[api.DiscardConversionRequest],
) (*connect.Response[api.DiscardConversionResponse], error) {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return nil, err
	}
	defer stay.End()
	result, err := s.conversions.Find(r.Msg.Id)
	if err != nil {
		return connect.NewResponse(&api.DiscardConversionResponse{}), nil
	}
	if !slices.ContainsFunc(stay.Disk().Index.Roots, func(root scan.Root) bool { return root.Path == result.Root() }) {
		return nil, fmt.Errorf("%w, and the new model is of a model in %s. Open that repository again to discard it", workspace.ErrOtherRepository, result.Root())
	}
	if err := s.conversions.Discard(r.Msg.Id); err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.DiscardConversionResponse{}), nil
}
