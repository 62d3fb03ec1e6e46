"""TensorBoard's protobuf messages, built at run time from the table below.

    from ._protos import Event

Generated *_pb2 files work only with some versions of protobuf; messages that are built here work
with every installed version. File and package names are those of tensorboardX, because programs
compare them. The messages have a separate descriptor pool, so the original tensorboardX and
TensorBoard can define messages of the same names in the same process.
"""

from __future__ import annotations

import functools
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, struct_pb2

_T = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "double": _T.TYPE_DOUBLE, "float": _T.TYPE_FLOAT, "int64": _T.TYPE_INT64,
    "uint64": _T.TYPE_UINT64, "int32": _T.TYPE_INT32, "uint32": _T.TYPE_UINT32,
    "bool": _T.TYPE_BOOL, "string": _T.TYPE_STRING, "bytes": _T.TYPE_BYTES,
}  # fmt: skip

# Maps file -> (imports, {message or enum: fields}). A field is "number type name", * for repeated,
# |oneof at its end, map<K,V> for maps. "enum" entries are "value NAME". Nested names have dots.
_FILES: dict[str, tuple[list[str], str]] = {
    "types": ([], """
enum DataType
  0 DT_INVALID; 1 DT_FLOAT; 2 DT_DOUBLE; 3 DT_INT32; 4 DT_UINT8; 5 DT_INT16; 6 DT_INT8; 7 DT_STRING
  8 DT_COMPLEX64; 9 DT_INT64; 10 DT_BOOL; 11 DT_QINT8; 12 DT_QUINT8; 13 DT_QINT32; 14 DT_BFLOAT16
  15 DT_QINT16; 16 DT_QUINT16; 17 DT_UINT16; 18 DT_COMPLEX128; 19 DT_HALF; 20 DT_RESOURCE
"""),
    "tensor_shape": ([], """
TensorShapeProto
  2 *TensorShapeProto.Dim dim; 3 bool unknown_rank
TensorShapeProto.Dim
  1 int64 size; 2 string name
"""),
    "resource_handle": ([], """
ResourceHandleProto
  1 string device; 2 string container; 3 string name; 4 uint64 hash_code; 5 string maybe_type_name
"""),
    "tensor": (["types", "tensor_shape", "resource_handle"], """
TensorProto
  1 DataType dtype; 2 TensorShapeProto tensor_shape; 3 int32 version_number
  4 bytes tensor_content; 5 *float float_val; 6 *double double_val; 7 *int32 int_val
  8 *bytes string_val; 9 *float scomplex_val; 10 *int64 int64_val; 11 *bool bool_val
  12 *double dcomplex_val; 13 *int32 half_val; 14 *ResourceHandleProto resource_handle_val
"""),
    "summary": (["tensor"], """
SummaryDescription
  1 string type_hint
HistogramProto
  1 double min; 2 double max; 3 double num; 4 double sum; 5 double sum_squares
  6 *double bucket_limit; 7 *double bucket
SummaryMetadata
  1 SummaryMetadata.PluginData plugin_data; 2 string display_name; 3 string summary_description
SummaryMetadata.PluginData
  1 string plugin_name; 2 bytes content
Summary
  1 *Summary.Value value
Summary.Image
  1 int32 height; 2 int32 width; 3 int32 colorspace; 4 bytes encoded_image_string
Summary.Audio
  1 float sample_rate; 2 int64 num_channels; 3 int64 length_frames; 4 bytes encoded_audio_string
  5 string content_type
Summary.Value
  1 string tag; 2 float simple_value|value; 3 bytes obsolete_old_style_histogram|value
  4 Summary.Image image|value; 5 HistogramProto histo|value; 6 Summary.Audio audio|value
  8 TensorProto tensor|value; 7 string node_name; 9 SummaryMetadata metadata
"""),
    "event": (["summary"], """
Event
  1 double wall_time; 2 int64 step; 3 string file_version|what; 4 bytes graph_def|what
  5 Summary summary|what; 6 LogMessage log_message|what; 7 SessionLog session_log|what
  8 TaggedRunMetadata tagged_run_metadata|what; 9 bytes meta_graph_def|what
LogMessage
  1 LogMessage.Level level; 2 string message
enum LogMessage.Level
  0 UNKNOWN; 10 DEBUG; 20 INFO; 30 WARN; 40 ERROR; 50 FATAL
SessionLog
  1 SessionLog.SessionStatus status; 2 string checkpoint_path; 3 string msg
enum SessionLog.SessionStatus
  0 STATUS_UNSPECIFIED; 1 START; 2 STOP; 3 CHECKPOINT
TaggedRunMetadata
  1 string tag; 2 bytes run_metadata
"""),
    "attr_value": (["tensor", "tensor_shape", "types"], """
AttrValue
  1 AttrValue.ListValue list|value; 2 bytes s|value; 3 int64 i|value; 4 float f|value
  5 bool b|value; 6 DataType type|value; 7 TensorShapeProto shape|value; 8 TensorProto tensor|value
  9 string placeholder|value; 10 NameAttrList func|value
AttrValue.ListValue
  2 *bytes s; 3 *int64 i; 4 *float f; 5 *bool b; 6 *DataType type; 7 *TensorShapeProto shape
  8 *TensorProto tensor; 9 *NameAttrList func
NameAttrList
  1 string name; 2 map<string,AttrValue> attr
"""),
    "node_def": (["attr_value"], """
NodeDef
  1 string name; 2 string op; 3 *string input; 4 string device; 5 map<string,AttrValue> attr
"""),
    "versions": ([], """
VersionDef
  1 int32 producer; 2 int32 min_consumer; 3 *int32 bad_consumers
"""),
    "graph": (["node_def", "versions"], """
GraphDef
  1 *NodeDef node; 4 VersionDef versions; 3 int32 version
"""),
    "step_stats": (["tensor_shape", "types"], """
AllocatorMemoryUsed
  1 string allocator_name; 2 int64 total_bytes; 3 int64 peak_bytes; 4 int64 live_bytes
  5 int64 allocator_bytes_in_use
NodeExecStats
  1 string node_name; 2 int64 all_start_micros; 3 int64 op_start_rel_micros
  4 int64 op_end_rel_micros; 5 int64 all_end_rel_micros; 6 *AllocatorMemoryUsed memory
  8 string timeline_label; 9 int64 scheduled_micros; 10 uint32 thread_id
DeviceStepStats
  1 string device; 2 *NodeExecStats node_stats
StepStats
  1 *DeviceStepStats dev_stats
RunMetadata
  1 StepStats step_stats
"""),
    "layout": ([], """
Chart
  1 string title; 2 MultilineChartContent multiline|content; 3 MarginChartContent margin|content
MultilineChartContent
  1 *string tag
MarginChartContent
  1 *MarginChartContent.Series series
MarginChartContent.Series
  1 string value; 2 string lower; 3 string upper
Category
  1 string title; 2 *Chart chart; 3 bool closed
Layout
  1 int32 version; 2 *Category category
"""),
    "plugin_text": ([], """
TextPluginData
  1 int32 version
"""),
    "plugin_pr_curve": ([], """
PrCurvePluginData
  1 int32 version; 2 uint32 num_thresholds
"""),
    "plugin_mesh": ([], """
MeshPluginData
  1 int32 version; 2 string name; 3 MeshPluginData.ContentType content_type; 5 string json_config
  6 *int32 shape
enum MeshPluginData.ContentType
  0 UNDEFINED; 1 VERTEX; 2 FACE; 3 COLOR
"""),
    "api": ([], """
enum DataType
  0 DATA_TYPE_UNSET; 1 DATA_TYPE_STRING; 2 DATA_TYPE_BOOL; 3 DATA_TYPE_FLOAT64
enum DatasetType
  0 DATASET_UNKNOWN; 1 DATASET_TRAINING; 2 DATASET_VALIDATION
enum Status
  0 STATUS_UNKNOWN; 1 STATUS_SUCCESS; 2 STATUS_FAILURE; 3 STATUS_RUNNING
Experiment
  6 string name; 1 string description; 2 string user; 3 double time_created_secs
  4 *HParamInfo hparam_infos; 5 *MetricInfo metric_infos
HParamInfo
  1 string name; 2 string display_name; 3 string description; 4 DataType type
  5 .google.protobuf.ListValue domain_discrete|domain; 6 Interval domain_interval|domain
Interval
  1 double min_value; 2 double max_value
MetricName
  1 string group; 2 string tag
MetricInfo
  1 MetricName name; 3 string display_name; 4 string description; 5 DatasetType dataset_type
"""),
    "plugin_hparams": (["api"], """
HParamsPluginData
  1 int32 version; 2 Experiment experiment|data; 3 SessionStartInfo session_start_info|data
  4 SessionEndInfo session_end_info|data
SessionStartInfo
  1 map<string,.google.protobuf.Value> hparams; 2 string model_uri; 3 string monitor_url
  4 string group_name; 5 double start_time_secs
SessionEndInfo
  1 Status status; 2 double end_time_secs
"""),
}  # fmt: skip

_PACKAGES = {"api": "tensorboardX.hparam", "plugin_hparams": "tensorboardX.hparam",
             "plugin_mesh": "tensorboardX.mesh"}  # fmt: skip

_pool = descriptor_pool.DescriptorPool()


def _package(file: str) -> str:
    return _PACKAGES.get(file, "tensorboardX")


def _sections(text: str) -> list[tuple[str, list[str]]]:
    """The table of one file as a list of (heading, entries)."""
    sections: list[tuple[str, list[str]]] = []
    for line in text.strip().splitlines():
        if line.startswith(" "):
            sections[-1][1].extend(entry.strip() for entry in line.split(";"))
        else:
            sections.append((line.strip(), []))
    return sections


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


class _FileBuilder:
    def __init__(self, file: str, enums: set[str]) -> None:
        self.imports, text = _FILES[file]
        self.proto = descriptor_pb2.FileDescriptorProto(
            name=f"tensorboardX/proto/{file}.proto", package=_package(file), syntax="proto3"
        )
        self.enums = enums
        self.proto.dependency.extend(f"tensorboardX/proto/{name}.proto" for name in self.imports)
        if ".google.protobuf." in text:
            self.proto.dependency.append(struct_pb2.DESCRIPTOR.name)
        self.messages: dict[str, Any] = {}
        sections = _sections(text)
        for heading, _ in sections:
            if not heading.startswith("enum "):
                self._message(heading)
        for heading, entries in sections:
            if heading.startswith("enum "):
                self._enum(heading[5:], entries)
        for heading, entries in sections:
            if not heading.startswith("enum "):
                for entry in entries:
                    self._field(heading, entry)

    def _message(self, name: str) -> None:
        outer, _, inner = name.rpartition(".")
        owner = self.messages[outer].nested_type if outer else self.proto.message_type
        self.messages[name] = owner.add(name=inner)

    def _enum(self, name: str, entries: list[str]) -> None:
        outer, _, inner = name.rpartition(".")
        owner = self.messages[outer].enum_type if outer else self.proto.enum_type
        enum = owner.add(name=inner)
        for entry in entries:
            number, label = entry.split()
            enum.value.add(name=label, number=int(number))

    def _set_type(self, field: Any, kind: str) -> None:
        if kind in _SCALARS:
            field.type = _SCALARS[kind]
            return
        field.type = _T.TYPE_ENUM if kind in self.enums else _T.TYPE_MESSAGE
        field.type_name = kind if kind.startswith(".") else f".{self.proto.package}.{kind}"

    def _field(self, message: str, entry: str) -> None:
        number, kind, name = entry.split()
        name, _, oneof = name.partition("|")
        owner = self.messages[message]
        field = owner.field.add(name=name, number=int(number), label=_T.LABEL_OPTIONAL)
        if oneof:
            names = [declared.name for declared in owner.oneof_decl]
            if oneof not in names:
                owner.oneof_decl.add(name=oneof)
                names.append(oneof)
            field.oneof_index = names.index(oneof)
        if kind.startswith("map<"):
            key, value = kind[4:-1].split(",")
            entry_type = owner.nested_type.add(name=_camel(name) + "Entry")
            entry_type.options.map_entry = True
            for index, (part, part_kind) in enumerate((("key", key), ("value", value)), 1):
                part_field = entry_type.field.add(name=part, number=index, label=_T.LABEL_OPTIONAL)
                self._set_type(part_field, part_kind)
            field.label = _T.LABEL_REPEATED
            field.type = _T.TYPE_MESSAGE
            field.type_name = f".{self.proto.package}.{message}.{entry_type.name}"
            return
        if kind.startswith("*"):
            field.label = _T.LABEL_REPEATED
        self._set_type(field, kind.lstrip("*"))


def _enum_names() -> set[str]:
    return {
        heading[5:]
        for _, text in _FILES.values()
        for heading, _ in _sections(text)
        if heading.startswith("enum ")
    }


@functools.cache
def _file(name: str) -> Any:
    """Returns the descriptor of tensorboardX/proto/<name>.proto."""
    for needed in _FILES[name][0]:
        _file(needed)
    file = _FileBuilder(name, _enum_names()).proto
    if struct_pb2.DESCRIPTOR.name in file.dependency:
        _pool.AddSerializedFile(struct_pb2.DESCRIPTOR.serialized_pb)
    _pool.AddSerializedFile(file.SerializeToString())
    return _pool.FindFileByName(file.name)


@functools.cache
def module_contents(file: str) -> dict[str, Any]:
    """Returns the contents of tensorboardX.proto.<file>_pb2: messages, enums and their values."""
    from google.protobuf.internal import builder

    contents: dict[str, Any] = {"DESCRIPTOR": _file(file)}
    builder.BuildMessageAndEnumDescriptors(contents["DESCRIPTOR"], contents)
    builder.BuildTopDescriptorsAndMessages(contents["DESCRIPTOR"], __name__, contents)
    return contents


def __getattr__(name: str) -> Any:
    """Returns the message `name` of any file: `from ._protos import Event` builds only that
    message.
    """
    for file, (_, text) in _FILES.items():
        if name in text.split():
            found = module_contents(file).get(name)
            if found is not None:
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
