//go:build !linux

package engineapi

func processUsage() usage { return usage{} }
