package openapi

// eventStream is the schema of server-sent events.
const eventStream = "GenerateEvents"

// The kinds of values.
var (
	text     = object{"type": "string"}
	whole    = object{"type": "integer"}
	natural  = object{"type": "integer", "minimum": 0}
	truth    = object{"type": "boolean"}
	anything = object{}
)

func list(of object) object { return object{"type": "array", "items": of} }

// fields returns an object with these members; required are those that it must have.
func fields(members object, required ...string) object {
	o := object{"type": "object", "properties": members}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// general returns the schemas of all bodies, for any model.
func general() object {
	parameters := object{"type": "object", "additionalProperties": object{"type": []string{"string", "integer", "number", "boolean"}}}
	described := fields(object{"name": text, "datatype": text, "shape": list(whole)}, "name", "datatype", "shape")
	return object{
		"Error":          fields(object{"error": text}, "error"),
		"ServerMetadata": fields(object{"name": text, "version": text, "extensions": list(text)}),
		"ModelMetadata": fields(object{
			"name": text, "versions": list(text), "platform": text, "inputs": list(described), "outputs": list(described),
		}),
		"ModelConfig": object{"type": "object", "description": "model_config.proto as JSON"},
		"Statistics":  fields(object{"model_stats": list(object{"type": "object"})}),
		"InferRequest": fields(object{
			"id": text, "parameters": parameters, "inputs": list(withData(described, parameters)),
			"outputs": list(fields(object{"name": text, "parameters": parameters}, "name")),
		}, "inputs"),
		"InferResponse": fields(object{
			"id": text, "model_name": text, "model_version": text, "parameters": parameters,
			"outputs": list(withData(described, parameters)),
		}),
		"GenerateRequest": object{
			"type":        "object",
			"description": "each member is an input of the model with that name, else a parameter",
			"properties":  object{"id": text, "parameters": parameters},
		},
		"GenerateResponse": object{"type": "object", "description": "each output by its name, beside model_name and model_version"},
		eventStream:        object{"type": "string", "description": "events 'data: {…}', each with an object as generate answers it"},
		"IndexRequest":     object{"type": "object", "properties": object{"ready": truth}, "example": object{"ready": true}},
		"Index":            list(fields(object{"name": text, "version": text, "state": text, "reason": text}, "name")),
		"LoadRequest":      fields(object{"parameters": object{"type": "object", "additionalProperties": text, "properties": object{"config": text}}}),
		"UnloadRequest":    fields(object{"parameters": fields(object{"unload_dependents": truth})}),
		"TraceSetting": object{"type": "object", "properties": object{
			"trace_level": list(object{"enum": []string{"OFF", "TIMESTAMPS", "TENSORS"}}), "trace_rate": text, "trace_count": text,
			"log_frequency": text, "trace_file": text, "trace_mode": text,
		}, "example": object{"trace_rate": "1000"}},
		"LogSetting": object{"type": "object", "properties": object{
			"log_file": text, "log_info": truth, "log_warning": truth, "log_error": truth, "log_verbose_level": natural,
			"log_format": object{"enum": []string{"default", "ISO8601"}},
		}, "example": object{"log_info": true}},
		"Regions":            list(fields(object{"name": text, "key": text, "offset": natural, "byte_size": natural, "device_id": whole})),
		"RegisterRegion":     fields(object{"key": text, "offset": natural, "byte_size": natural}, "key", "byte_size"),
		"RegisterCUDARegion": fields(object{"raw_handle": fields(object{"b64": text}), "device_id": whole, "byte_size": natural}, "raw_handle", "byte_size"),
		"Document":           object{"type": "object", "description": "an OpenAPI document"},
	}
}

// withData returns the schema of a tensor with its values, which a binary tensor has after the JSON.
func withData(described, parameters object) object {
	members := object{"parameters": parameters, "data": list(anything)}
	for name, schema := range described["properties"].(object) {
		members[name] = schema
	}
	return fields(members, "name", "datatype", "shape")
}
