"""Our messages are those of Triton's own clients, field by field; the server's reflection tells ours."""

import grpc
from conftest import Server
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.empty_pb2 import Empty
from google.protobuf.unknown_fields import UnknownFieldSet
from tritonclient.grpc import model_config_pb2, service_pb2

SERVICE = "inference.GRPCInferenceService"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
FILES_OF_SYMBOL = 4  # the field of the request, and that of the answer with the files


def reflected(address: str) -> DescriptorPool:
    """Ask a server for the files that describe its service."""
    asked = bytes([FILES_OF_SYMBOL << 3 | 2, len(SERVICE)]) + SERVICE.encode()
    with grpc.insecure_channel(address) as channel:
        call = channel.stream_stream(REFLECTION, request_serializer=bytes, response_deserializer=Empty.FromString)
        answer = next(call(iter([asked])))
    content = next(field.data for field in UnknownFieldSet(answer) if field.field_number == FILES_OF_SYMBOL)
    pool = DescriptorPool()
    waiting = list(descriptor_pb2.FileDescriptorSet.FromString(content).file)
    while waiting:
        ready = [one for one in waiting if not {other.name for other in waiting} & set(one.dependency)]
        assert ready, waiting
        for one in ready:
            pool.Add(one)
            waiting.remove(one)
    return pool


def fields(message: Descriptor) -> dict[str, tuple]:
    """Describe each field: its number, kind, whether it is repeated, its type, and the choice that it is in."""
    described = {}
    for field in message.fields:
        of = field.message_type or field.enum_type
        choice = field.containing_oneof
        name = of and of.full_name
        described[field.name] = (field.number, field.type, field.is_repeated, name, choice and choice.name)
    return described


def messages(found: list[Descriptor]) -> list[Descriptor]:
    """Give messages with all that are inside of them."""
    return [one for message in found for one in (message, *messages(message.nested_types))]


def check(theirs: FileDescriptor, ours: DescriptorPool) -> int:
    """Hold what a file of Triton's client describes against ours, and give the number of fields."""
    count = 0
    for message in messages(list(theirs.message_types_by_name.values())):
        same = ours.FindMessageTypeByName(message.full_name)
        assert fields(same) == fields(message), message.full_name
        assert [enum.name for enum in same.enum_types] == [enum.name for enum in message.enum_types]
        for enum in message.enum_types:
            values = same.enum_types_by_name[enum.name].values_by_name
            assert {name: value.number for name, value in values.items()} == {
                value.name: value.number for value in enum.values
            }
        count += len(message.fields)
    return count


def test_messages_are_those_of_the_client(server: Server) -> None:
    ours = reflected(server.grpc)
    assert check(service_pb2.DESCRIPTOR, ours) > 150
    assert check(model_config_pb2.DESCRIPTOR, ours) > 150


def test_calls_are_those_of_the_client(server: Server) -> None:
    service = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"]
    same = reflected(server.grpc).FindServiceByName(SERVICE)
    described = [
        {
            m.name: (m.input_type.full_name, m.output_type.full_name, m.client_streaming, m.server_streaming)
            for m in one.methods
        }
        for one in (service, same)
    ]
    assert described[0] == described[1]
    assert len(described[0]) == 20
