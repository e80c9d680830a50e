package wire

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Server is where cases are played: the addresses of a server's ports, and the run's folder, which has the certificates of
// cases with TLS and what the steps with files are about. Cases without flags have no folder.
type Server struct {
	HTTP, GRPC, Metrics, Work string

	process *Running // of a case alone
}

// noAnswer is what a case says of a server that closes the connection instead of answering.
const noAnswer = "the connection is closed without an answer\n"

// patience is how long a server may take for one answer, or until something holds that a case waits for.
const patience = 20 * time.Second

// Play sends the requests of a case and gives the answers, without what differs from run to run.
//
// The first line of a request says where it goes: "METHOD PATH" to the HTTP port, "metrics METHOD PATH" to that of the
// metrics, and "grpc CALL" to the gRPC port; "memory …" is a step with shared memory, "file …" one with files, and "begin …",
// "end …" and "leave …" are for requests beside others, and "stop" and "ended" for the server of a case with flags. Before it, "until TEXT: " sends the
// request again until the answer has that text; "await TEXT: " does so too, and the rest of the answer does not count.
func Play(ctx context.Context, server Server, c *Case) ([]string, error) {
	p := &player{server: server, begun: map[string]*begun{}}
	defer p.close()
	var answers []string
	for _, s := range c.Steps {
		answer, err := p.step(ctx, s.Request)
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", c.Name, s.number, err)
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func (p *player) step(ctx context.Context, request string) (string, error) {
	switch word, rest, _ := strings.Cut(request, " "); strings.TrimSuffix(word, "\n") {
	case "begin", "end", "leave":
		return p.inBackground(ctx, word, rest)
	case "stop", "ended":
		return p.server.process.told(ctx, strings.TrimSuffix(word, "\n"))
	}
	return ask(ctx, p.server, request)
}

// ask sends one request, or repeats it until its answer is the one that the case waits for.
func ask(ctx context.Context, server Server, request string) (string, error) {
	word, rest, _ := strings.Cut(request, " ")
	if word != "until" && word != "await" {
		return once(ctx, server, request)
	}
	awaited, request, ok := strings.Cut(rest, ": ")
	if !ok {
		return "", fmt.Errorf("%q is not %s TEXT: REQUEST", rest, word)
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(patience); ; {
		answer, err := once(ctx, server, request)
		switch {
		case err == nil && word == "await" && strings.Contains(answer, awaited):
			return "it came\n", nil
		case err != nil || strings.Contains(answer, awaited) || time.Now().After(end):
			return answer, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func once(ctx context.Context, server Server, request string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var answer string
	var err error
	if rest, ok := strings.CutPrefix(request, "memory "); ok {
		return inMemory(rest)
	}
	if rest, ok := strings.CutPrefix(request, "file "); ok {
		return inFiles(server.Work, rest)
	}
	if rest, ok := strings.CutPrefix(request, "grpc "); ok {
		answer, err = overGRPC(ctx, server, rest)
	} else if rest, ok := strings.CutPrefix(request, "metrics "); ok {
		answer, err = page(ctx, server.Metrics, rest)
	} else {
		answer, err = overHTTP(ctx, server.HTTP, request, server.Work != "")
	}
	return plain(answer), err
}
