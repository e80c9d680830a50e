package rpc

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/store"
)

// maxBody limits the size of one request or response in the history. Tensors that do not fit are left
// out.
const maxBody = 1 << 20

// maxPictures limits the size of the pictures of one request in the history. Of those of an input that do not fit together only the
// names are kept.
const maxPictures = 16 << 20

// remembered is a request in the history. Until end is called, the history says that its answer is lost, which only a later start of the
// program lists.
type remembered struct {
	s       *tryService
	entry   store.Request
	request *api.InferRequest
}

// remember adds a request that begins to the history.
func (s *tryService) remember(key string, begun time.Time, r *api.InferRequest) *remembered {
	lost := &api.InferResponse{Stopped: true, Error: "Its answer is lost: Conch ended while it ran"}
	small, pictures := smallRequest(r)
	m := &remembered{s: s, request: r, entry: store.Request{
		Repository: key, Time: begun, Model: r.Model, RequestBody: s.body(small), Pictures: pictures,
	}}
	m.fill(lost)
	m.entry.ID = s.Store.BeginRequest(m.entry)
	return m
}

// fill puts an answer into the entry.
func (m *remembered) fill(out *api.InferResponse) {
	e := &m.entry
	e.Version, e.OK, e.Stopped, e.Error = out.ModelVersion, out.Ok, out.Stopped, out.Error
	if e.Version == "" && m.request.Version > 0 {
		e.Version = strconv.FormatInt(m.request.Version, 10)
	}
	e.Took, e.Summary = time.Duration(out.GetTimings().GetRoundTripNs()), summary(m.request, out)
	e.ResponseBody = m.s.body(smallResponse(out))
}

// end adds the answer, and returns the name of both in the history.
func (m *remembered) end(out *api.InferResponse) uint64 {
	m.fill(out)
	m.s.Store.EndRequest(m.entry)
	return uint64(m.entry.ID)
}

func (s *tryService) body(m proto.Message) []byte {
	raw, err := proto.Marshal(m)
	if err != nil {
		s.Log.Error("a request could not be kept completely", "error", err)
		return nil
	}
	return raw
}

// takePictures takes the pictures out of a request. Those that are kept leave their hashes in it.
func takePictures(r *api.InferRequest) (pictures []store.Picture) {
	room := maxPictures
	for _, in := range r.Inputs {
		size := 0
		for _, p := range in.GetPictures().GetList() {
			size += len(p.Content)
		}
		fit := size <= room
		if fit {
			room -= size
		}
		for _, p := range in.GetPictures().GetList() {
			p.Hash = nil
			if fit && len(p.Content) > 0 {
				kept := store.NewPicture(p.Content)
				pictures, p.Hash = append(pictures, kept), kept.Hash
			}
			p.Content = nil
		}
	}
	return pictures
}

// addPictures puts the pictures of a request back into it. One that is not kept any more stays empty.
func (s *tryService) addPictures(ctx context.Context, r *api.InferRequest) error {
	for _, in := range r.Inputs {
		for _, p := range in.GetPictures().GetList() {
			if len(p.Hash) == 0 {
				continue
			}
			content, err := s.Store.Picture(ctx, p.Hash)
			if err != nil {
				return err
			}
			p.Content, p.Hash = content, nil
		}
	}
	return nil
}

// smallRequest returns a request without its pictures, and the pictures. It leaves out the largest tensors until the rest fits. Their
// names and shapes stay.
func smallRequest(r *api.InferRequest) (small *api.InferRequest, pictures []store.Picture) {
	small = proto.CloneOf(r)
	pictures = takePictures(small)
	for proto.Size(small) > maxBody {
		largest := &api.InferInput{}
		for _, in := range small.Inputs {
			if proto.Size(in) > proto.Size(largest) {
				largest = in
			}
		}
		if largest.Data == nil {
			return &api.InferRequest{Model: r.Model, Version: r.Version}, nil
		}
		largest.Data = nil
	}
	return small, pictures
}

func smallResponse(r *api.InferResponse) *api.InferResponse {
	small := proto.CloneOf(r)
	small.Profiles = nil
	for _, o := range small.Outputs {
		o.Labels = nil // they are in the repository
	}
	for proto.Size(small) > maxBody {
		largest := &api.OutputTensor{}
		for _, o := range small.Outputs {
			if len(o.Raw) > len(largest.Raw) {
				largest = o
			}
		}
		if largest.Raw == nil {
			return &api.InferResponse{Ok: r.Ok, ModelVersion: r.ModelVersion, Timings: r.Timings}
		}
		largest.Raw = nil
	}
	return small
}

// summary is one line: "image (seven.png) FP32 [1, 64] -> probabilities FP32 [1, 10]".
func summary(r *api.InferRequest, out *api.InferResponse) string {
	var in, res []string
	for _, t := range r.Inputs {
		in = append(in, tensorText(t.Name+ofPictures(t.GetPictures().GetList()), t.Datatype, t.Shape))
	}
	for _, t := range out.Outputs {
		res = append(res, tensorText(t.Name, t.Datatype, t.Shape))
	}
	if len(res) == 0 {
		return strings.Join(in, ", ")
	}
	return strings.Join(in, ", ") + " -> " + strings.Join(res, ", ")
}

// ofPictures names the files that an input was made of: requests of one model differ in little else, and a narrow list has room for little more.
func ofPictures(list []*api.Picture) string {
	var first string
	named := 0
	for _, p := range list {
		if p.Name == "" { // a drawing
			continue
		}
		if named++; named == 1 {
			first = p.Name
		}
	}
	switch named {
	case 0:
		return ""
	case 1:
		return " (" + first + ")"
	}
	return fmt.Sprintf(" (%s and %d more)", first, named-1)
}

func tensorText(name, datatype string, shape []int64) string {
	dims := make([]string, len(shape))
	for i, d := range shape {
		dims[i] = strconv.FormatInt(d, 10)
	}
	return fmt.Sprintf("%s %s [%s]", name, datatype, strings.Join(dims, ", "))
}

// Limits of one list of the history.
const (
	defaultHistory = 50
	maxHistory     = 1000
)

func (s *tryService) ListHistory(ctx context.Context, r *connect.Request[api.ListHistoryRequest]) (*connect.Response[api.ListHistoryResponse], error) {
	limit := min(int(r.Msg.Limit), maxHistory)
	if limit == 0 {
		limit = defaultHistory
	}
	list, err := s.Store.Requests(ctx, s.Workspace.HistoryKey(), r.Msg.Model, limit)
	if err != nil {
		return nil, err
	}
	out := &api.ListHistoryResponse{}
	for _, e := range list {
		out.Entries = append(out.Entries, historyEntry(e))
	}
	return connect.NewResponse(out), nil
}

func (s *tryService) GetHistory(ctx context.Context, r *connect.Request[api.GetHistoryRequest]) (*connect.Response[api.GetHistoryResponse], error) {
	e, err := s.Store.Request(ctx, int64(r.Msg.Id))
	if err != nil {
		return nil, err
	}
	out := &api.GetHistoryResponse{Entry: historyEntry(e), Request: &api.InferRequest{}, Response: &api.InferResponse{}}
	if err := proto.Unmarshal(e.RequestBody, out.Request); err != nil {
		return nil, fmt.Errorf("read request %d: %w", e.ID, err)
	}
	if err := proto.Unmarshal(e.ResponseBody, out.Response); err != nil {
		return nil, fmt.Errorf("read response %d: %w", e.ID, err)
	}
	if err := s.addPictures(ctx, out.Request); err != nil {
		return nil, err
	}
	out.Request.Model = e.Model // it may have been renamed since
	out.Response.HistoryId = r.Msg.Id
	arrange(out.Response, s.specs(e.Model)) // labels are not kept: they are in the repository
	return connect.NewResponse(out), nil
}

func historyEntry(e store.Request) *api.HistoryEntry {
	return &api.HistoryEntry{
		Id: uint64(e.ID), Time: e.Time.UnixMilli(), Model: e.Model, ModelVersion: e.Version, Ok: e.OK, Error: e.Error,
		TookMs: float64(e.Took) / float64(time.Millisecond), Summary: e.Summary,
		Stopped: e.Stopped,
	}
}
