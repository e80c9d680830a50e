// Package rpc answers the workbench's API, with one file for each service. A handler only checks the
// request, calls the code that does the work, and converts the result to an answer. Errors become API
// errors in one place.
package rpc
