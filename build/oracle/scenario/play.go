package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/status"

	"conch/engine/kserve/kservepb"
)

// between is the time between a request and the next step, in which it certainly arrives.
const between = 30 * time.Millisecond

// counted is the time after an answer in which it is certainly counted.
const counted = 50 * time.Millisecond

// Server is where stories are told.
type Server struct {
	Client kservepb.GRPCInferenceServiceClient
	// Metrics reads the metrics page.
	Metrics func(ctx context.Context) (string, error)
}

// stage is one telling of a story.
type stage struct {
	client kservepb.GRPCInferenceServiceClient
	page   func(ctx context.Context) (string, error)
	asked  []*asked // in the order of the script
	open   sync.WaitGroup
	told   strings.Builder

	mu    sync.Mutex // guards what follows
	order []answered
}

// answered is whose answer came when.
type answered struct {
	name string
	at   time.Time
}

// together is how close answers are that came together: a batch takes longer (python/model.py).
const together = 15 * time.Millisecond

// asked is a request and, once its client has it, the answer in words.
type asked struct {
	name   string
	cancel context.CancelFunc
	answer string
}

// Play plays a script on a server and tells what came of it: what the steps told, then each request's answer.
func Play(ctx context.Context, server Server, script string) (string, error) {
	s := &stage{client: server.Client, page: server.Metrics}
	defer s.leave()
	for _, one := range steps(script) {
		if err := s.take(ctx, &one); err != nil {
			return "", fmt.Errorf("%s %s: %w", one.verb, strings.Join(one.args, " "), err)
		}
	}
	s.open.Wait()
	var out strings.Builder
	for _, a := range s.asked {
		fmt.Fprintf(&out, "%s: %s\n", a.name, a.answer)
	}
	return out.String() + s.told.String(), nil
}

// leave lets no request outlive the story.
func (s *stage) leave() {
	for _, a := range s.asked {
		a.cancel()
	}
	s.open.Wait()
}

// take does one step.
func (s *stage) take(ctx context.Context, one *step) error {
	switch one.verb {
	case "send":
		return s.send(ctx, one)
	case "await":
		s.open.Wait()
		<-time.After(counted)
		return nil
	case "order":
		s.inOrder()
		return nil
	}
	if len(one.args) != 1 {
		return errors.New("wants one word behind it")
	}
	switch word := one.args[0]; one.verb {
	case "wait":
		var ms time.Duration
		_, err := fmt.Sscan(word, &ms)
		<-time.After(ms * time.Millisecond)
		return err
	case "cancel":
		return s.cancel(word)
	case "stats":
		return s.statistics(ctx, word)
	case "failures":
		return s.failures(ctx, word)
	case "load", "unload", "ready":
		s.control(ctx, one.verb, word)
		return nil
	}
	return errors.New("no step is called so")
}

// send asks in the background.
func (s *stage) send(ctx context.Context, one *step) error {
	request, err := one.request()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &asked{name: one.args[0], cancel: cancel}
	s.asked = append(s.asked, a)
	s.open.Go(func() {
		if slices.Contains(one.args, "stream") {
			a.answer = s.stream(ctx, request)
		} else {
			a.answer = inWords(s.client.ModelInfer(ctx, request))
		}
		s.mu.Lock()
		s.order = append(s.order, answered{name: a.name, at: time.Now()})
		s.mu.Unlock()
	})
	<-time.After(between)
	return nil
}

// stream asks over a stream and gives all answers, in order.
func (s *stage) stream(ctx context.Context, request *kservepb.ModelInferRequest) string {
	stream, err := s.client.ModelStreamInfer(ctx)
	if err != nil {
		return refusal(err)
	}
	if err := errors.Join(stream.Send(request), stream.CloseSend()); err != nil {
		return refusal(err)
	}
	words := []string{}
	for {
		response, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Sprintf("%d answers: %s", len(words), strings.Join(words, "; "))
		case err != nil:
			return strings.Join(append(words, refusal(err)), "; ")
		case response.ErrorMessage != "":
			words = append(words, response.ErrorMessage)
		default:
			words = append(words, inWords(response.InferResponse, nil))
		}
	}
}

// inOrder tells whose answers have come; those that came together have a + between them.
func (s *stage) inOrder() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var groups [][]string
	var last time.Time
	for _, a := range s.order {
		if len(groups) == 0 || a.at.Sub(last) >= together {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], a.name)
		last = a.at
	}
	s.told.WriteString("order:")
	for _, names := range groups {
		slices.Sort(names)
		s.told.WriteString(" " + strings.Join(names, "+"))
	}
	s.told.WriteByte('\n')
}

func (s *stage) cancel(name string) error {
	at := slices.IndexFunc(s.asked, func(a *asked) bool { return a.name == name })
	if at < 0 {
		return errors.New("no request is called so")
	}
	s.asked[at].cancel()
	<-time.After(between)
	return nil
}

// control loads, unloads, or asks whether a model is ready.
func (s *stage) control(ctx context.Context, verb, model string) {
	var err error
	outcome := "ok"
	switch verb {
	case "load":
		_, err = s.client.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: model})
	case "unload":
		_, err = s.client.RepositoryModelUnload(ctx, &kservepb.RepositoryModelUnloadRequest{ModelName: model})
	case "ready":
		var reply *kservepb.ModelReadyResponse
		reply, err = s.client.ModelReady(ctx, &kservepb.ModelReadyRequest{Name: model})
		outcome = fmt.Sprint(reply.GetReady())
	}
	if err != nil {
		outcome = refusal(err)
	}
	fmt.Fprintf(&s.told, "%s %s: %s\n", verb, model, outcome)
}

func refusal(err error) string {
	return fmt.Sprintf("%s: %s", status.Code(err), strings.ReplaceAll(status.Convert(err).Message(), "\n", `\n`))
}
