// A model that answers as much as it is asked for: its input is the number of zeros of its output.

const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >> 7)]);

/** A field of a protobuf message: a number, a text, or a message of fields. */
function field(number, value) {
  if (typeof value === "number") return [number << 3, ...varint(value)];
  const bytes = typeof value === "string" ? [...Buffer.from(value)] : value.flat();
  return [(number << 3) | 2, ...varint(bytes.length), ...bytes];
}

/** A tensor of one dimension (ValueInfoProto of onnx.proto). */
const tensor = (name, element, dimension) => [
  field(1, name),
  field(2, [field(1, [field(1, element), field(2, [field(1, [dimension])])])]),
];

/** Puts the model into a workplace. */
export function largeAnswers(place, name) {
  const node = [field(1, "SHAPE"), field(2, "VALUES"), field(4, "ConstantOfShape")];
  const graph = [
    field(1, node),
    field(2, "zeros"),
    field(11, tensor("SHAPE", 7, field(1, 1))),
    field(12, tensor("VALUES", 1, field(2, "n"))),
  ];
  const model = [field(1, 8), field(7, graph), field(8, [field(2, 13)])];
  place.write(`${name}/1/model.onnx`, Buffer.from(model.flat()));
  place.write(
    `${name}/config.pbtxt`,
    `backend: "onnxruntime"
input [ { name: "SHAPE" data_type: TYPE_INT64 dims: [ 1 ] } ]
output [ { name: "VALUES" data_type: TYPE_FP32 dims: [ -1 ] } ]
`,
  );
}
