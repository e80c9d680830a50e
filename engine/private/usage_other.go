//go:build !linux

package private

func processUsage() usage { return usage{} }
