package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
)

// call is one method as HTTP has it.
type call struct {
	verb  string
	most  int64 // bytes of an answer
	told  bool  // every status is an answer
	write func(args any) (sent, error)
	read  func(got got, reply any) error
}

var calls = map[string]call{
	"ServerLive":     {http.MethodGet, MostFacts, true, at("v2/health/live"), readLive},
	"ServerReady":    {http.MethodGet, MostFacts, true, at("v2/health/ready"), readReady},
	"ModelReady":     {http.MethodGet, MostFacts, true, ofModel("/ready"), readModelReady},
	"ServerMetadata": {http.MethodGet, MostFacts, false, at("v2"), readWhole("%s")},
	"ModelMetadata":  {http.MethodGet, MostFacts, false, ofModel(""), readWhole("%s")},
	"ModelConfig":    {http.MethodGet, MostFacts, false, ofModel("/config"), readWhole(`{"config":%s}`)},
	"ModelStatistics": {http.MethodGet, MostFacts, false, func(args any) (sent, error) {
		if args.(*kservepb.ModelStatisticsRequest).Name == "" {
			return sent{path: "v2/models/stats"}, nil
		}
		return ofModel("/stats")(args)
	}, readWhole("%s")},
	"RepositoryIndex":       {http.MethodPost, MostFacts, false, writeIndex, readWhole(`{"models":%s}`)},
	"RepositoryModelLoad":   {http.MethodPost, MostFacts, false, writeLoad, readNothing},
	"RepositoryModelUnload": {http.MethodPost, MostFacts, false, writeUnload, readNothing},
	"ModelInfer":            {http.MethodPost, mostTensors, false, writeInfer, readInfer},
}

func at(path string) func(any) (sent, error) {
	return func(any) (sent, error) { return sent{path: path}, nil }
}

// modelPath returns the path of a model, and of a version where one is named.
func modelPath(name, version, rest string) sent {
	path := "v2/models/" + url.PathEscape(name)
	if version != "" {
		path += "/versions/" + url.PathEscape(version)
	}
	return sent{path: path + rest, model: true}
}

func ofModel(rest string) func(any) (sent, error) {
	return func(args any) (sent, error) {
		m := args.(interface {
			GetName() string
			GetVersion() string
		})
		return modelPath(m.GetName(), m.GetVersion(), rest), nil
	}
}

func writeIndex(args any) (sent, error) {
	body, err := json.Marshal(map[string]bool{"ready": args.(*kservepb.RepositoryIndexRequest).Ready})
	return sent{path: "v2/repository/index", body: [][]byte{body}}, err
}

func writeLoad(args any) (sent, error) {
	m := args.(*kservepb.RepositoryModelLoadRequest)
	return control(m.ModelName, "/load", m.Parameters)
}

func writeUnload(args any) (sent, error) {
	m := args.(*kservepb.RepositoryModelUnloadRequest)
	return control(m.ModelName, "/unload", m.Parameters)
}

func control(model, deed string, parameters map[string]*kservepb.ModelRepositoryParameter) (sent, error) {
	out := sent{path: "v2/repository/models/" + url.PathEscape(model) + deed, model: true}
	body, err := json.Marshal(map[string]any{"parameters": plain(parameters)})
	out.body = [][]byte{body}
	return out, err
}

func readLive(g got, reply any) error {
	reply.(*kservepb.ServerLiveResponse).Live = g.code == http.StatusOK
	return nil
}

func readReady(g got, reply any) error {
	reply.(*kservepb.ServerReadyResponse).Ready = g.code == http.StatusOK
	return nil
}

func readModelReady(g got, reply any) error {
	reply.(*kservepb.ModelReadyResponse).Ready = g.code == http.StatusOK
	return nil
}

func readNothing(got, any) error { return nil }

// readWhole reads an answer that is the message of gRPC as JSON, put where the frame has %s.
func readWhole(frame string) func(got, any) error {
	return func(g got, reply any) error {
		if !json.Valid(g.body) {
			return fmt.Errorf("it is no JSON (%s)", g.status)
		}
		return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(fmt.Appendf(nil, frame, g.body), reply.(proto.Message))
	}
}
