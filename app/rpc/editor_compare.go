package rpc

import (
	"context"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/configedit/diag"
)

// Compare shows a text beside what Triton makes of it and what the model file declares.
func (s *editorService) Compare(ctx context.Context, r *connect.Request[api.CompareRequest]) (*connect.Response[api.CompareResponse], error) {
	_, m, err := s.judged(r.Msg.Model, &r.Msg.Text)
	if err != nil {
		return nil, err
	}
	file := m.Decoded().File
	comparison := m.Compare(s.settled(ctx, m))
	out := &api.CompareResponse{ModelFile: comparison.ModelFile, Note: comparison.Note}
	for _, f := range comparison.Fields {
		row := &api.ComparedField{
			Label: f.Label, Depth: uint32(f.Depth), Group: f.Group, File: f.File, Effective: f.Effective,
			Reason: apimessage.Sentence(f.Reason), ModelFile: f.ModelFile, Differs: f.Differs,
		}
		if f.Span != (diag.Span{}) {
			row.From, row.To = apimessage.Range(file, f.Span)
		}
		out.Fields = append(out.Fields, row)
	}
	return connect.NewResponse(out), nil
}

// DraftConfig writes a config from the model file.
func (s *editorService) DraftConfig(_ context.Context, r *connect.Request[api.DraftConfigRequest]) (*connect.Response[api.DraftConfigResponse], error) {
	_, m, err := s.model(r.Msg.Model)
	if err != nil {
		return nil, err
	}
	text, err := m.Draft()
	if err != nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, err)
	}
	return connect.NewResponse(&api.DraftConfigResponse{Text: string(text)}), nil
}
