// Package model is one version of a model from its files to its end: its config is read and completed, the
// backend loads it, instances are made and warmed up, requests are checked and scheduled, and in the end it drains and is
// freed. Which versions exist, and when, is not decided here but in control.
//
// A Version is safe for concurrent use. Close waits until the last request has left.
package model
