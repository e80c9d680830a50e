//go:build !linux

package serve

import "net"

func openFiles() int { return 0 }

func letGo(net.Conn) {}
