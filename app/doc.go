// Package app is the workbench. It opens a model repository, keeps an engine running for it, keeps
// history, and answers the API that the window and the browser use. It only joins the packages below
// it. app/desktop and app/web show its Handler to a person.
package app
