"""The two small graphs around the recognition of text: a picture becomes its input, its output becomes text."""

import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.helper import make_node as node
from onnx.helper import make_tensor_value_info as value

OPSET = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 4)]


def model(graph: onnx.GraphProto) -> bytes:
    """Wrap a graph up."""
    made = helper.make_model(graph, opset_imports=OPSET, ir_version=9)
    onnx.checker.check_model(made)
    return made.SerializeToString()


def ints(name: str, *values: int) -> onnx.TensorProto:
    """Name a list of whole numbers."""
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def floats(name: str, number: float) -> onnx.TensorProto:
    """Name a number."""
    return helper.make_tensor(name, TensorProto.FLOAT, [], [number])


def prepare() -> bytes:
    """Make a picture [height, width, 3] 48 high, its values -1 to 1, as [1, 3, 48, width]."""
    nodes = [
        node("Cast", ["PICTURE"], ["colours"], to=TensorProto.FLOAT),
        node("Transpose", ["colours"], ["planes"], perm=[2, 0, 1]),
        node("Unsqueeze", ["planes", "first"], ["batch"]),
        node("Shape", ["PICTURE"], ["height"], start=0, end=1),
        node("Shape", ["PICTURE"], ["width"], start=1, end=2),
        node("Mul", ["width", "high"], ["scaled"]),
        node("Div", ["scaled", "height"], ["wide"]),
        node("Concat", ["planes_of_one", "high", "wide"], ["size"], axis=0),
        node("Resize", ["batch", "", "", "size"], ["resized"], mode="linear"),
        node("Div", ["resized", "half"], ["doubled"]),
        node("Sub", ["doubled", "one"], ["LINE"]),
    ]
    constants = [
        ints("first", 0),
        ints("high", 48),
        ints("planes_of_one", 1, 3),
        floats("half", 127.5),
        floats("one", 1),
    ]
    inputs = [value("PICTURE", TensorProto.UINT8, ["height", "width", 3])]
    outputs = [value("LINE", TensorProto.FLOAT, [1, 3, 48, "columns"])]
    return model(helper.make_graph(nodes, "prepare", inputs, outputs, constants))


def characters(recognition: str) -> list[str]:
    """List what the recognition's classes stand for: a blank, the characters in its metadata, a space."""
    listed = onnxruntime.InferenceSession(recognition).get_modelmeta().custom_metadata_map["character"]
    return ["", *listed.splitlines(), " "]


def decode(alphabet: list[str]) -> bytes:
    """Turn chances [batch, steps, characters] into texts, leaving out blanks and what is said twice in a row."""
    nodes = [
        node("ArgMax", ["CHANCES"], ["best"], axis=2, keepdims=0),
        node("ReduceMax", ["CHANCES", "last"], ["chance"], keepdims=0),
        node("Slice", ["best", "zero", "minus_one", "one"], ["all_but_last"]),
        node("Slice", ["best", "zero", "one", "one"], ["one_column"]),
        node("Sub", ["one_column", "one_column"], ["blank_column"]),
        node("Concat", ["blank_column", "all_but_last"], ["before"], axis=1),
        node("Equal", ["best", "before"], ["repeated"]),
        node("Equal", ["best", "zero"], ["blank"]),
        node("Or", ["repeated", "blank"], ["dropped"]),
        node("Where", ["dropped", "zero", "best"], ["kept"]),
        encoder("kept", "letters", alphabet),
        encoder("blank_column", "nothing", alphabet),
        node("Shape", ["best"], ["steps"], start=1, end=2),
        node("Loop", ["steps", "", "nothing"], ["TEXT"], body=append_column()),
        node("Not", ["dropped"], ["counts"]),
        node("Cast", ["counts"], ["weight"], to=TensorProto.FLOAT),
        node("Mul", ["weight", "chance"], ["weighed"]),
        node("ReduceSum", ["weighed", "one"], ["sum"], keepdims=1),
        node("ReduceSum", ["weight", "one"], ["count"], keepdims=1),
        node("Max", ["count", "at_least"], ["divisor"]),
        node("Div", ["sum", "divisor"], ["SURE"]),
    ]
    constants = [ints("last", 2), ints("zero", 0), ints("one", 1), ints("minus_one", -1), floats("at_least", 1)]
    inputs = [value("CHANCES", TensorProto.FLOAT, ["batch", "steps", len(alphabet)])]
    outputs = [value("TEXT", TensorProto.STRING, ["batch", 1]), value("SURE", TensorProto.FLOAT, ["batch", 1])]
    return model(helper.make_graph(nodes, "decode", inputs, outputs, constants))


def encoder(numbers: str, texts: str, alphabet: list[str]) -> onnx.NodeProto:
    """Look characters up by number."""
    keys, default = list(range(len(alphabet))), "?"
    return node(
        "LabelEncoder",
        [numbers],
        [texts],
        domain="ai.onnx.ml",
        keys_int64s=keys,
        values_strings=alphabet,
        default_string=default,
    )


def append_column() -> onnx.GraphProto:
    """Append one step's letters to the texts so far."""
    nodes = [
        node("Unsqueeze", ["step", "zero"], ["at"]),
        node("Gather", ["letters", "at"], ["column"], axis=1),
        node("StringConcat", ["so_far", "column"], ["longer"]),
        node("Identity", ["more"], ["go_on"]),
    ]
    inputs = [
        value("step", TensorProto.INT64, []),
        value("more", TensorProto.BOOL, []),
        value("so_far", TensorProto.STRING, ["batch", 1]),
    ]
    outputs = [value("go_on", TensorProto.BOOL, []), value("longer", TensorProto.STRING, ["batch", 1])]
    return helper.make_graph(nodes, "append_column", inputs, outputs)
