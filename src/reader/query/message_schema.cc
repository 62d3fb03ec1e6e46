#include "reader/query/message_schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "cboard/base/check.h"
#include "cboard/base/strings.h"
#include "cboard/proto/tensor.h"

namespace cboard::reader {
namespace {

// The schemas of GraphDef and RunMetadata that TensorBoard uses. A message is its name on a
// separate line, followed by its fields. A field is its number, name, label and type.
constexpr std::string_view kSchemaText = R"(
GraphDef
  1 node repeated NodeDef; 2 library FunctionDefLibrary; 3 version int32; 4 versions VersionDef;
  5 debug_info GraphDebugInfo;
NodeDef
  1 name string; 2 op string; 3 input repeated string; 4 device string;
  5 attr map string AttrValue; 6 experimental_debug_info NodeDef.ExperimentalDebugInfo;
  7 experimental_type FullTypeDef;
AttrValue
  1 list oneof AttrValue.ListValue; 2 s oneof bytes; 3 i oneof int64; 4 f oneof float;
  5 b oneof bool; 6 type oneof DataType; 7 shape oneof TensorShapeProto;
  8 tensor oneof TensorProto; 9 placeholder oneof string; 10 func oneof NameAttrList;
TensorShapeProto
  2 dim repeated TensorShapeProto.Dim; 3 unknown_rank bool;
TensorShapeProto.Dim
  1 size int64; 2 name string;
TensorProto
  1 dtype DataType; 2 tensor_shape TensorShapeProto; 3 version_number int32;
  4 tensor_content bytes; 5 float_val repeated float; 6 double_val repeated double;
  7 int_val repeated int32; 8 string_val repeated bytes; 9 scomplex_val repeated float;
  10 int64_val repeated int64; 11 bool_val repeated bool; 12 dcomplex_val repeated double;
  13 half_val repeated int32; 14 resource_handle_val repeated ResourceHandleProto;
  15 variant_val repeated VariantTensorDataProto; 16 uint32_val repeated uint32;
  17 uint64_val repeated uint64; 18 float8_val bytes;
ResourceHandleProto
  1 device string; 2 container string; 3 name string; 4 hash_code uint64;
  5 maybe_type_name string; 6 dtypes_and_shapes repeated ResourceHandleProto.DtypeAndShape;
ResourceHandleProto.DtypeAndShape
  1 dtype DataType; 2 shape TensorShapeProto;
VariantTensorDataProto
  1 type_name string; 2 metadata bytes; 3 tensors repeated TensorProto;
AttrValue.ListValue
  2 s repeated bytes; 3 i repeated int64; 4 f repeated float; 5 b repeated bool;
  6 type repeated DataType; 7 shape repeated TensorShapeProto; 8 tensor repeated TensorProto;
  9 func repeated NameAttrList;
NameAttrList
  1 name string; 2 attr map string AttrValue;
NodeDef.ExperimentalDebugInfo
  1 original_node_names repeated string; 2 original_func_names repeated string;
FullTypeDef
  1 type_id FullTypeId; 2 args repeated FullTypeDef; 3 s oneof string; 4 i oneof int64;
VersionDef
  1 producer int32; 2 min_consumer int32; 3 bad_consumers repeated int32;
FunctionDefLibrary
  1 function repeated FunctionDef; 2 gradient repeated GradientDef;
  3 registered_gradients repeated RegisteredGradient;
FunctionDef
  1 signature OpDef; 3 node_def repeated NodeDef; 4 ret map string string;
  5 attr map string AttrValue; 6 control_ret map string string;
  7 arg_attr map uint32 FunctionDef.ArgAttrs; 8 resource_arg_unique_id map uint32 uint32;
OpDef
  1 name string; 2 input_arg repeated OpDef.ArgDef; 3 output_arg repeated OpDef.ArgDef;
  4 attr repeated OpDef.AttrDef; 5 summary string; 6 description string;
  8 deprecation OpDeprecation; 16 is_aggregate bool; 17 is_stateful bool; 18 is_commutative bool;
  19 allows_uninitialized_input bool; 20 control_output repeated string;
  21 is_distributed_communication bool;
OpDef.ArgDef
  1 name string; 2 description string; 3 type DataType; 4 type_attr string; 5 number_attr string;
  6 type_list_attr string; 7 handle_data repeated ResourceHandleProto.DtypeAndShape;
  16 is_ref bool; 17 experimental_full_type FullTypeDef;
OpDef.AttrDef
  1 name string; 2 type string; 3 default_value AttrValue; 4 description string;
  5 has_minimum bool; 6 minimum int64; 7 allowed_values AttrValue;
OpDeprecation
  1 version int32; 2 explanation string;
FunctionDef.ArgAttrs
  1 attr map string AttrValue;
GradientDef
  1 function_name string; 2 gradient_func string;
RegisteredGradient
  1 gradient_func string; 2 registered_op_type string;
GraphDebugInfo
  1 files repeated string; 2 traces map string GraphDebugInfo.StackTrace;
  4 frames_by_id map fixed64 GraphDebugInfo.FileLineCol; 5 name_to_trace_id map string fixed64;
  6 traces_by_id map fixed64 GraphDebugInfo.StackTrace;
GraphDebugInfo.FileLineCol
  1 file_index optional int32; 2 line optional int32; 3 col optional int32;
  4 func optional string; 5 code optional string;
GraphDebugInfo.StackTrace
  1 file_line_cols repeated GraphDebugInfo.FileLineCol; 2 frame_id repeated fixed64;
RunMetadata
  1 step_stats StepStats; 2 cost_graph CostGraphDef; 3 partition_graphs repeated GraphDef;
  4 function_graphs repeated RunMetadata.FunctionGraphs; 5 session_metadata SessionMetadata;
StepStats
  1 dev_stats repeated DeviceStepStats;
DeviceStepStats
  1 device string; 2 node_stats repeated NodeExecStats; 3 thread_names map uint32 string;
NodeExecStats
  1 node_name string; 2 all_start_micros int64; 3 op_start_rel_micros int64;
  4 op_end_rel_micros int64; 5 all_end_rel_micros int64; 6 memory repeated AllocatorMemoryUsed;
  7 output repeated NodeOutput; 8 timeline_label string; 9 scheduled_micros int64;
  10 thread_id uint32; 11 referenced_tensor repeated AllocationDescription;
  12 memory_stats MemoryStats; 13 all_start_nanos int64; 14 op_start_rel_nanos int64;
  15 op_end_rel_nanos int64; 16 all_end_rel_nanos int64; 17 scheduled_nanos int64;
AllocatorMemoryUsed
  1 allocator_name string; 2 total_bytes int64; 3 peak_bytes int64; 4 live_bytes int64;
  5 allocator_bytes_in_use int64; 6 allocation_records repeated AllocationRecord;
AllocationRecord
  1 alloc_micros int64; 2 alloc_bytes int64;
NodeOutput
  1 slot int32; 3 tensor_description TensorDescription;
TensorDescription
  1 dtype DataType; 2 shape TensorShapeProto; 4 allocation_description AllocationDescription;
AllocationDescription
  1 requested_bytes int64; 2 allocated_bytes int64; 3 allocator_name string;
  4 allocation_id int64; 5 has_single_reference bool; 6 ptr uint64;
MemoryStats
  1 temp_memory_size int64; 2 device_temp_memory_size int64; 3 persistent_memory_size int64;
  4 device_persistent_memory_size int64; 5 persistent_tensor_alloc_ids repeated int64;
  6 device_persistent_tensor_alloc_ids repeated int64;
CostGraphDef
  1 node repeated CostGraphDef.Node; 2 cost repeated CostGraphDef.AggregatedCost;
CostGraphDef.Node
  1 name string; 2 device string; 3 id int32; 4 input_info repeated CostGraphDef.Node.InputInfo;
  5 output_info repeated CostGraphDef.Node.OutputInfo; 6 temporary_memory_size int64;
  7 is_final bool; 8 control_input repeated int32; 9 compute_cost int64;
  10 host_temp_memory_size int64; 11 device_temp_memory_size int64;
  12 persistent_memory_size int64; 14 compute_time int64; 15 memory_time int64;
  16 device_persistent_memory_size int64; 17 inaccurate bool;
CostGraphDef.Node.InputInfo
  1 preceding_node int32; 2 preceding_port int32;
CostGraphDef.Node.OutputInfo
  1 size int64; 2 alias_input_port int64; 3 shape TensorShapeProto; 4 dtype DataType;
CostGraphDef.AggregatedCost
  1 cost float; 2 dimension string;
RunMetadata.FunctionGraphs
  1 partition_graphs repeated GraphDef; 2 pre_optimization_graph GraphDef;
  3 post_optimization_graph GraphDef;
SessionMetadata
  1 name string; 2 version int64;
)";

constexpr auto kFullTypeIds = std::to_array<std::pair<std::int32_t, std::string_view>>({
    {0, "TFT_UNSET"},
    {1, "TFT_VAR"},
    {2, "TFT_ANY"},
    {3, "TFT_PRODUCT"},
    {4, "TFT_NAMED"},
    {20, "TFT_FOR_EACH"},
    {100, "TFT_CALLABLE"},
    {200, "TFT_BOOL"},
    {201, "TFT_UINT8"},
    {202, "TFT_UINT16"},
    {203, "TFT_UINT32"},
    {204, "TFT_UINT64"},
    {205, "TFT_INT8"},
    {206, "TFT_INT16"},
    {207, "TFT_INT32"},
    {208, "TFT_INT64"},
    {209, "TFT_HALF"},
    {210, "TFT_FLOAT"},
    {211, "TFT_DOUBLE"},
    {212, "TFT_COMPLEX64"},
    {213, "TFT_COMPLEX128"},
    {214, "TFT_STRING"},
    {215, "TFT_BFLOAT16"},
    {1000, "TFT_TENSOR"},
    {1001, "TFT_ARRAY"},
    {1002, "TFT_OPTIONAL"},
    {1003, "TFT_LITERAL"},
    {1004, "TFT_ENCODED"},
    {1005, "TFT_SHAPE_TENSOR"},
    {10102, "TFT_DATASET"},
    {10103, "TFT_RAGGED"},
    {10104, "TFT_ITERATOR"},
    {10202, "TFT_MUTEX_LOCK"},
    {10203, "TFT_LEGACY_VARIANT"},
});

FieldType TypeNamed(std::string_view name) {
  constexpr auto kTypes = std::to_array<std::pair<std::string_view, FieldType>>({
      {"double", FieldType::kDouble},
      {"float", FieldType::kFloat},
      {"int32", FieldType::kInt32},
      {"int64", FieldType::kInt64},
      {"uint32", FieldType::kUint32},
      {"uint64", FieldType::kUint64},
      {"fixed64", FieldType::kFixed64},
      {"bool", FieldType::kBool},
      {"string", FieldType::kString},
      {"bytes", FieldType::kBytes},
      {"DataType", FieldType::kDataType},
      {"FullTypeId", FieldType::kFullTypeId},
  });
  const auto found =
      std::ranges::find(kTypes, name, &std::pair<std::string_view, FieldType>::first);
  return found == kTypes.end() ? FieldType::kMessage : found->second;
}

using Schemas = std::map<std::string_view, MessageSchema>;

FieldSchema ParseField(std::string_view text, Schemas& schemas) {
  std::vector<std::string_view> words = Split(text, ' ');
  FieldSchema field;
  std::from_chars(words[0].data(), words[0].data() + words[0].size(), field.number);
  field.name = words[1];
  const std::string_view label = words[2];
  if (label == "map") {
    field.label = FieldLabel::kMap;
    field.key_type = TypeNamed(words[3]);
  } else if (label == "repeated") {
    field.label = FieldLabel::kRepeated;
  } else if (label == "oneof") {
    field.label = FieldLabel::kOneof;
  } else if (label == "optional") {
    field.label = FieldLabel::kOptional;
  }
  field.type = TypeNamed(words.back());
  if (field.type == FieldType::kMessage) field.message = &schemas[words.back()];
  return field;
}

Schemas ParseSchemas() {
  Schemas schemas;
  MessageSchema* message = nullptr;
  for (std::string_view line : Split(kSchemaText, '\n')) {
    if (line.empty()) continue;
    if (line.front() != ' ') {
      message = &schemas[line];
      message->name = line;
      continue;
    }
    for (std::string_view field : Split(line, ';')) {
      field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
      if (!field.empty()) message->fields.push_back(ParseField(field, schemas));
    }
  }
  for (const auto& [name, schema] : schemas) CBOARD_CHECK(!schema.fields.empty());
  return schemas;
}

const Schemas& AllSchemas() {
  static const Schemas schemas = ParseSchemas();
  return schemas;
}

}  // namespace

const FieldSchema* MessageSchema::Find(std::uint32_t number) const {
  const auto found = std::ranges::lower_bound(fields, number, {}, &FieldSchema::number);
  return found != fields.end() && found->number == number ? &*found : nullptr;
}

const MessageSchema& GraphDefSchema() { return AllSchemas().at("GraphDef"); }
const MessageSchema& RunMetadataSchema() { return AllSchemas().at("RunMetadata"); }

std::string EnumName(FieldType type, std::int32_t number) {
  if (type == FieldType::kFullTypeId) {
    const auto found =
        std::ranges::find(kFullTypeIds, number, &std::pair<std::int32_t, std::string_view>::first);
    return found == kFullTypeIds.end() ? "" : std::string(found->second);
  }
  const std::string_view name = proto::NameOf(static_cast<proto::DataType>(number));
  if (name == "?") return "";
  return "DT_" + std::string(name) + (number > 100 ? "_REF" : "");
}

}  // namespace cboard::reader
