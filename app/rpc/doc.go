// Package rpc answers the workbench's API: one file for each service, each handler only checks what it was asked,
// calls what does the work, and puts the answer into the API's words. Errors become API errors in one place.
package rpc
