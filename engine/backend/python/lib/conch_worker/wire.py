"""The language between the engine and the worker; engine/backend/python/wire (doc.go) describes the frames."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from .host import Answer, Call, Received, Value

# Frames of the engine.
SETUP, EXECUTE, ANSWER, RESULT, SENT, CANCEL, FREED, READY, END, FORGET, PROFILE, DEBUG = range(1, 13)
# Frames of the worker.
DONE, EXECUTED, FAILED, SEND, CALL, QUIT, TOOK, ASK, TELL, LOG, FREE, DROPPED, PROFILED = range(64, 77)
# What becomes of a request.
ANSWERED, LATER, AGAIN = range(3)

BYTES = 13
_TYPES: list[Any] = [
    None, np.bool_, np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64,
    np.float16, np.float32, np.float64, np.object_, np.uint16,
]  # fmt: skip
DTYPES = [None if t is None else np.dtype(t) for t in _TYPES]

HEADER = struct.Struct("<IB3xQ")
_TENSOR = struct.Struct("<IBBHIQQ")
_REQUEST = struct.Struct("<QQQQIIIIIII")
_ANSWER = struct.Struct("<IIIII")
_CALL = struct.Struct("<QqII")
_PAIR = struct.Struct("<II")
_ONE = struct.Struct("<I")
_NO_TEXTS = [0, 0, 0, 0]
_PADDING = [bytes(n) for n in range(8)]
_DIMS = [struct.Struct(f"<{n}q") for n in range(256)]


class Reader:
    """Reads a payload. Arrays are views of it, or of segments of the engine."""

    __slots__ = ("at", "bases", "payload", "segments")

    def __init__(self, payload: bytearray, segments: Any = None) -> None:
        self.payload = payload
        self.at = 0
        self.segments = segments
        self.bases: dict[int, np.ndarray] = {}  # keeps segments while the payload is read

    def numbers(self, form: struct.Struct) -> tuple:
        """Read numbers."""
        at = self.at
        self.at = at + form.size
        return form.unpack_from(self.payload, at)

    def pair(self) -> tuple[int, int]:
        """Read two numbers."""
        return self.numbers(_PAIR)

    def text(self, length: int) -> str:
        """Read a text."""
        at = self.at
        self.at = at + length
        return self.payload[at : at + length].decode() if length else ""

    def all_numbers(self) -> tuple:
        """Read what is left as numbers."""
        return struct.unpack_from(f"<{(len(self.payload) - self.at) // 4}I", self.payload, self.at)

    def tensor(self) -> Value:
        """Read a tensor."""
        at, payload = self.at, self.payload
        length, kind, rank, _, segment, offset, size = _TENSOR.unpack_from(payload, at)
        end = at + _TENSOR.size + length
        name = payload[at + _TENSOR.size : end].decode()
        shape = _DIMS[rank].unpack_from(payload, end)
        self.at = end + 8 * rank
        if segment:
            base = self.bases.get(segment)
            if base is None:
                base = self.bases[segment] = self.segments.message(segment)
            raw = base[offset : offset + size]
        else:
            at = self.at + (-self.at & 7)
            self.at = at + size
            if kind != BYTES:
                dtype = DTYPES[kind]
                array = np.frombuffer(payload, dtype, size // dtype.itemsize, at)
                return Value(name, kind, array if rank == 1 else array.reshape(shape))
            raw = np.frombuffer(self.payload, np.uint8, size, at)
        if kind == BYTES:
            return Value(name, kind, unpack_bytes(raw, shape))
        return Value(name, kind, raw.view(DTYPES[kind]).reshape(shape))

    def request(self) -> Received:
        """Read a request."""
        at, payload = self.at, self.payload
        handle, timeout, priority, correlation, flags, inputs, outputs, *lengths = _REQUEST.unpack_from(payload, at)
        self.at = at = at + _REQUEST.size
        request_id = name = parameters = trace = ""
        if lengths != _NO_TEXTS:
            request_id, name, parameters, trace = [self.text(length) for length in lengths]
            at = self.at
        wanted = []
        for _ in range(outputs):
            begin = at + 4
            at = begin + _ONE.unpack_from(payload, at)[0]
            wanted.append(payload[begin:at].decode())
        self.at = at
        values = [self.tensor() for _ in range(inputs)]
        return Received(
            handle, values, wanted, request_id, name or correlation, flags, timeout, priority, parameters, trace
        )

    def requests(self) -> list[Received]:
        """Read the payload of EXECUTE."""
        count, _ = self.pair()
        return [self.request() for _ in range(count)]

    def answer(self) -> Answer:
        """Read an answer."""
        failed, code, outputs, n_error, n_parameters = self.numbers(_ANSWER)
        error, parameters = self.text(n_error), self.text(n_parameters)
        values = [self.tensor() for _ in range(outputs)]
        return Answer(values, error if failed else None, code, parameters)


def unpack_bytes(raw: np.ndarray, shape: tuple) -> np.ndarray:
    """Make an array of bytes objects."""
    data, at, texts = raw.tobytes(), 0, []
    while at + 4 <= len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        texts.append(data[at + 4 : end])
        at = end
    array = np.empty(len(texts), np.object_)
    array[:] = texts
    return array.reshape(shape)


def pack_bytes(array: np.ndarray) -> bytes:
    """Write the elements of an object array, each after its length.

    Other objects than bytes become text, as in Triton: also a numpy.bytes_, whose text is "b'…'".
    """
    parts = []
    for item in array.ravel().tolist():
        data = item if type(item) is bytes else str(item).encode()
        parts.append(_ONE.pack(len(data)))
        parts.append(data)
    return b"".join(parts)


class Writer:
    """Writes a frame. `segments` takes the tensors of large messages."""

    __slots__ = ("frame",)

    def __init__(self, kind: int, number: int) -> None:
        self.frame = bytearray(HEADER.pack(0, kind, number))

    def done(self) -> bytearray:
        """Write the length, and return the frame."""
        _ONE.pack_into(self.frame, 0, len(self.frame) - HEADER.size)
        return self.frame

    def pair(self, first: int, second: int) -> None:
        """Write two numbers."""
        self.frame += _PAIR.pack(first, second)

    def answer(self, answer: Answer, segments: Any = None) -> None:
        """Write an answer."""
        outputs, failure, code, text = answer
        error, parameters = (failure or "").encode(errors="replace"), text.encode()
        failed = failure is not None
        if failed:
            outputs = []
        self.frame += _ANSWER.pack(failed, code, len(outputs), len(error), len(parameters)) + error + parameters
        self.tensors(outputs, segments)

    def call(self, call: Call, segments: Any = None) -> None:
        """Write a request to another model."""
        model = call.model.encode()
        self.frame += _CALL.pack(call.parent, call.version, call.decoupled, len(model)) + model
        correlation = call.correlation_id
        name, number = (correlation.encode(), 0) if isinstance(correlation, str) else (b"", correlation)
        texts = (call.request_id.encode(), name, call.parameters.encode(), b"")
        self.frame += _REQUEST.pack(
            0, call.timeout, call.priority, number, call.flags, len(call.inputs), len(call.outputs), *map(len, texts)
        )
        self.frame += b"".join(texts)
        for output in call.outputs:
            data = output.encode()
            self.frame += _ONE.pack(len(data)) + data
        self.tensors(call.inputs, segments)

    def tensors(self, values: Any, segments: Any) -> None:
        """Write tensors."""
        frame, total, packed = self.frame, 0, []
        for name, kind, array in values:
            data = pack_bytes(array) if kind == BYTES else None
            size = array.nbytes if data is None else len(data)
            total += size
            packed.append((name.encode(), kind, array, data, size))
        place = None if segments is None else segments.place(total)
        for text, kind, array, data, size in packed:
            shape = array.shape
            rank = len(shape)
            segment, offset = (0, 0) if place is None else place.put(array, data, size)
            frame += _TENSOR.pack(len(text), kind, rank, 0, segment, offset, size) + text + _DIMS[rank].pack(*shape)
            if not segment:
                frame += _PADDING[-(len(frame) - HEADER.size) & 7]
                frame += array.tobytes() if data is None else data
