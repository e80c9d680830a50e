package openapi

import (
	"encoding/json"
	"strings"

	"conch/configedit/modelconfig"
	"conch/engine/kserve"
)

// Route is a route of the server.
type Route struct {
	Method  string // GET or POST
	Path    string // with placeholders such as {model}
	Group   string // the API that may be restricted
	Summary string
	// Request and Answer name the schemas of the bodies (schemas.go); "" for none.
	Request, Answer string
}

// object is a JSON object.
type object = map[string]any

// Server returns the document of a server.
func Server(info kserve.ServerInfo, routes []Route) ([]byte, error) {
	return document(info.Name, info, routes, general())
}

// Model returns the document of a model. version is the one of the path, or "".
func Model(info kserve.ServerInfo, routes []Route, c *modelconfig.ModelConfig, version string) ([]byte, error) {
	own := make([]Route, 0, len(routes))
	for _, r := range routes {
		placed := strings.Contains(r.Path, "{version}")
		if !strings.Contains(r.Path, "{model}") || strings.Contains(r.Path, "{repository}") || placed != (version != "") {
			continue
		}
		r.Path = strings.NewReplacer("{model}", c.GetName(), "{version}", version).Replace(r.Path)
		own = append(own, r)
	}
	schemas := general()
	for name, schema := range typed(c) {
		schemas[name] = schema
	}
	return document(c.GetName(), info, own, schemas)
}

func document(title string, info kserve.ServerInfo, routes []Route, schemas object) ([]byte, error) {
	paths := object{}
	used := map[string]bool{"Error": true}
	for _, r := range routes {
		path, known := paths[r.Path].(object)
		if !known {
			path = object{}
			if placeholders := parameters(r.Path); len(placeholders) > 0 {
				path["parameters"] = placeholders
			}
			paths[r.Path] = path
		}
		path[strings.ToLower(r.Method)] = operation(r)
		used[r.Request], used[r.Answer] = true, true
	}
	for name := range schemas {
		if !used[name] {
			delete(schemas, name)
		}
	}
	return json.Marshal(object{
		"openapi":    "3.1.0",
		"info":       object{"title": title, "version": info.Version},
		"servers":    []object{{"url": "/"}},
		"paths":      paths,
		"components": object{"schemas": schemas},
	})
}

// parameters returns the placeholders of a path.
func parameters(path string) (list []object) {
	for _, segment := range strings.Split(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			list = append(list, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	return list
}

func operation(r Route) object {
	answer := object{"description": "success"}
	if r.Answer != "" {
		answer["content"] = object{mediaType(r.Answer): object{"schema": ref(r.Answer)}}
	}
	op := object{
		"summary": r.Summary, "tags": []string{r.Group}, "operationId": identifier(r),
		"responses": object{
			"200":     answer,
			"default": object{"description": "an error", "content": object{"application/json": object{"schema": ref("Error")}}},
		},
	}
	if r.Request != "" {
		op["requestBody"] = object{"content": object{"application/json": object{"schema": ref(r.Request)}}}
	}
	return op
}

func mediaType(schema string) string {
	if schema == eventStream {
		return "text/event-stream"
	}
	return "application/json"
}

// identifier names an operation by its method and its path: getModelsModelConfig.
func identifier(r Route) string {
	words := strings.FieldsFunc(strings.TrimPrefix(r.Path, "/v2"), func(c rune) bool { return strings.ContainsRune("/{}_.", c) })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.ToLower(r.Method) + strings.Join(words, "")
}

func ref(schema string) object { return object{"$ref": "#/components/schemas/" + schema} }
