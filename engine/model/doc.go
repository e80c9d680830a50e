// Package model is one version of a model, from its files to its end. It reads and completes the config, lets the backend
// load the model, makes instances and warms them up, checks and schedules requests, and in the end drains the version and
// frees it. The package control decides which versions exist, and when.
//
// A Version is safe for concurrent use. Close waits until the last request has left, within limits.
package model
