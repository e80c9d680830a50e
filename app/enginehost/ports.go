package enginehost

import (
	"net"
	"strconv"

	"conch/engine/kserve/enginepb"
	"conch/engine/option"
)

// Ports are the engine's public ports; 0 means Triton's default, or a free one if that is taken.
type Ports struct {
	HTTP, GRPC, Metrics int
	// Any means that a free port replaces a requested port that is taken.
	Any bool
	// None means that the engine has no public ports.
	None bool
}

// port is one of the ports, with its flag.
type port struct {
	flag        string
	asked, last int // last is the port of the engine's last run
	usual       int
}

func (p Ports) list(last Ports) []port {
	usual := option.Default()
	return []port{
		{"--http-port=", p.HTTP, last.HTTP, usual.HTTPPort},
		{"--grpc-port=", p.GRPC, last.GRPC, usual.GRPCPort},
		{"--metrics-port=", p.Metrics, last.Metrics, usual.MetricsPort},
	}
}

// flags returns the flags for these ports. A restarted engine keeps its ports, because clients know
// them.
func (p Ports) flags(last Ports) []string {
	if p.None {
		return []string{"--allow-http=false", "--allow-grpc=false", "--allow-metrics=false"}
	}
	if p.Any || p == (Ports{}) {
		args := []string{"--any-port"}
		for _, one := range p.list(last) {
			if number := firstOf(one.asked, one.last); number != 0 {
				args = append(args, one.flag+strconv.Itoa(number))
			}
		}
		return args
	}
	var args []string
	for _, one := range p.list(last) {
		number := one.asked
		if usual := firstOf(one.last, one.usual); number == 0 && isFree(usual) {
			number = usual
		}
		args = append(args, one.flag+strconv.Itoa(number)) // 0 takes a free one
	}
	return args
}

func firstOf(numbers ...int) int {
	for _, n := range numbers {
		if n != 0 {
			return n
		}
	}
	return 0
}

// isFree reports whether a port is free on the engine's default address.
func isFree(number int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(option.Default().HTTPAddress, strconv.Itoa(number)))
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

// boundPorts returns the ports that the engine reports.
func boundPorts(s *enginepb.Server) Ports {
	return Ports{HTTP: portOf(s.HttpAddress), GRPC: portOf(s.GrpcAddress), Metrics: portOf(s.MetricsAddress)}
}

func portOf(address string) int {
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		return 0 // the port is off
	}
	number, _ := strconv.Atoi(text)
	return number
}
