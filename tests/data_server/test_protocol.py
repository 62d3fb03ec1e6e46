"""Our definition of the protocol equals the definition in TensorBoard's package."""

import os
import subprocess

from google.protobuf import descriptor_pb2
from tensorboard.data.proto import data_provider_pb2

BYTES = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES
MESSAGE = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE
# Messages of other files that we pass on without parsing them: in our definition they are bytes.
PASSED_ON = {".tensorboard.SummaryMetadata", ".tensorboard.TensorProto"}
# The creation time of an experiment, which a log directory does not have.
LEFT_OUT = {("GetExperimentResponse", "creation_time")}


def our_file(tmp_path):
    source = os.environ["DATA_PROVIDER_PROTO"]
    output = tmp_path / "ours.bin"
    subprocess.run(["protoc", f"--proto_path={os.path.dirname(source)}", f"--descriptor_set_out={output}", source], check=True)
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file
    return file


def stock_file():
    file = descriptor_pb2.FileDescriptorProto()
    data_provider_pb2.DESCRIPTOR.CopyToProto(file)
    return file


def fields(messages, prefix=""):
    """Returns {(message, field): (number, label, type, type name)}, including nested messages."""
    found = {}
    for message in messages:
        name = prefix + message.name
        for field in message.field:
            passed_on = field.type == MESSAGE and field.type_name in PASSED_ON
            kind = (BYTES, "") if passed_on else (field.type, field.type_name)
            found[name, field.name] = (field.number, field.label, *kind)
        found |= fields(message.nested_type, name + ".")
    return found


def test_messages_are_the_same(tmp_path):
    expected = {key: value for key, value in fields(stock_file().message_type).items() if key not in LEFT_OUT}
    assert fields(our_file(tmp_path).message_type) == expected


def test_the_service_is_the_same(tmp_path):
    ours, stock = our_file(tmp_path), stock_file()
    assert ours.package == stock.package

    def calls(file):
        (service,) = file.service
        return service.name, {(m.name, m.input_type, m.output_type, m.server_streaming) for m in service.method}

    assert calls(ours) == calls(stock)
    assert len(calls(ours)[1]) == 10
