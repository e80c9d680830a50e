// Package openapi writes the OpenAPI document (3.1) of a server, and of one model with the types and shapes of its
// tensors. The routes come from the table of the router, so that the document cannot tell of others. The package also has
// the page that shows the document and sends requests; it loads nothing from elsewhere.
package openapi
