// Package api is the workbench's contract with its window, generated from conch.proto.
package api
