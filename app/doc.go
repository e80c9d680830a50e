// Package app is the workbench: it opens a model repository, keeps an engine running for it, keeps history, and
// answers the API that the window and the browser use. It ties together what lies below it and does nothing else;
// app/desktop and app/web put its Handler in front of a person.
package app
