#include "cboard/proto/onnx.h"

#include <algorithm>

#include "cboard/base/strings.h"
#include "proto/onnx_tensor.h"
#include "proto/packed.h"
#include "proto/part_budget.h"
#include "proto/shape.h"
#include "proto/wire_reader.h"

namespace cboard::proto {
namespace {

// Returns the name of a dimension. In ONNX, a dimension is either a number, or a name for an
// unknown size.
std::string_view NameOfDimension(pbf_reader fields) {
  std::string_view name;
  while (fields.next()) {
    if (fields.tag_and_type() == Length(2)) {
      name = ViewOf(fields);
    } else {
      fields.skip();
    }
  }
  return name;
}

// Reads a TypeProto.Tensor.
void ReadTensorType(pbf_reader fields, OnnxValueInfo& info) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Varint(1):
        info.elem_type = fields.get_int32();
        break;
      case Length(2): {
        info.has_shape = true;
        pbf_reader shape = fields.get_message();
        while (shape.next()) {
          if (shape.tag_and_type() == Length(1)) {
            const pbf_reader dimension = shape.get_message();
            info.shape.push_back(ReadDimension(dimension, -1));
            if (const std::string_view name = NameOfDimension(dimension); !name.empty()) {
              info.dimension_names.resize(info.shape.size());
              info.dimension_names.back() = name;
            }
          } else {
            shape.skip();
          }
        }
        if (!info.dimension_names.empty()) info.dimension_names.resize(info.shape.size());
        break;
      }
      default:
        fields.skip();
    }
  }
}

void ReadValueInfo(pbf_reader fields, OnnxValueInfo& info) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        info.name = ViewOf(fields);
        break;
      case Length(2): {
        pbf_reader type = fields.get_message();
        while (type.next()) {
          if (type.tag_and_type() == Length(1)) {
            ReadTensorType(type.get_message(), info);
          } else {
            type.skip();
          }
        }
        break;
      }
      default:
        fields.skip();
    }
  }
}

void ReadAttribute(pbf_reader fields, OnnxAttribute& attribute) {
  while (fields.next()) {
    const auto kind = static_cast<OnnxAttributeKind>(fields.tag());
    switch (fields.tag_and_type()) {
      case Length(1):
        attribute.name = ViewOf(fields);
        break;
      case Fixed32(2):
      case Fixed32(7):
      case Length(7):
        attribute.kind = kind;
        AppendFixed(fields, attribute.floats);
        break;
      case Varint(3):
      case Varint(8):
      case Length(8):
        attribute.kind = kind;
        ForEachVarint(fields, [&](std::uint64_t value) {
          attribute.ints.push_back(static_cast<std::int64_t>(value));
        });
        break;
      case Length(4):
      case Length(9):
        attribute.kind = kind;
        attribute.strings.push_back(ViewOf(fields));
        break;
      case Length(5):
        attribute.kind = kind;
        ReadOnnxTensor(fields.get_message(), attribute.tensor);
        break;
      case Length(6):
      case Length(11):
        attribute.kind = kind;
        attribute.graphs.push_back(ViewOf(fields));
        break;
      case Length(10):
        attribute.kind = kind;
        fields.skip();
        break;
      case Length(21):
        attribute.reference = ViewOf(fields);
        break;
      case Length(22):
        attribute.kind = kind;
        attribute.sparse_tensor = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
}

void ReadOnnxNode(pbf_reader fields, PartBudget& budget, OnnxNode& node) {
  budget.Reserve(CountFields(fields, Length(5)), node.attributes);
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        node.inputs.push_back(ViewOf(fields));
        break;
      case Length(2):
        node.outputs.push_back(ViewOf(fields));
        break;
      case Length(3):
        node.name = ViewOf(fields);
        break;
      case Length(4):
        node.op_type = ViewOf(fields);
        break;
      case Length(5):
        ReadAttribute(fields.get_message(), node.attributes.emplace_back());
        break;
      case Length(7):
        node.domain = ViewOf(fields);
        break;
      case Length(8):
        node.overload = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
}

// The serialized parts of a GraphProto. Each part is parsed separately, so that an error can name
// the part.
struct GraphParts {
  std::string_view name;
  std::vector<std::string_view> nodes, initializers, sparse_initializers, inputs, outputs,
      value_infos;
};

void ReadGraphParts(pbf_reader fields, GraphParts& parts) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        parts.nodes.push_back(ViewOf(fields));
        break;
      case Length(2):
        parts.name = ViewOf(fields);
        break;
      case Length(5):
        parts.initializers.push_back(ViewOf(fields));
        break;
      case Length(15):
        parts.sparse_initializers.push_back(ViewOf(fields));
        break;
      case Length(11):
        parts.inputs.push_back(ViewOf(fields));
        break;
      case Length(12):
        parts.outputs.push_back(ViewOf(fields));
        break;
      case Length(13):
        parts.value_infos.push_back(ViewOf(fields));
        break;
      default:
        fields.skip();
    }
  }
}

// Parses each of `parts` and appends the result to `values`, which must have capacity for all
// results. An error gives the index of the part and, if it was read, its name.
template <typename T, typename Read>
Result<void> ReadParts(std::string_view what, const std::vector<std::string_view>& parts,
                       const Read& read, std::vector<T>& values) {
  for (const std::string_view part : parts) {
    T& value = values.emplace_back();
    const std::string place = std::string(what) + " " + std::to_string(values.size() - 1);
    if (auto result = ReadMessageInto(place, part, value, read); !result) {
      return Fail(value.name.empty() ? std::move(result).error()
                                     : Annotate(std::move(result).error(), Quoted(value.name)));
    }
  }
  return {};
}

void ReadFunction(pbf_reader fields, PartBudget& budget, OnnxFunction& function) {
  budget.Reserve(CountFields(fields, Length(7)), function.nodes);
  budget.Reserve(CountFields(fields, Length(11)), function.defaults);
  budget.Reserve(CountFields(fields, Length(12)), function.value_infos);
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        function.name = ViewOf(fields);
        break;
      case Length(4):
        function.inputs.push_back(ViewOf(fields));
        break;
      case Length(5):
        function.outputs.push_back(ViewOf(fields));
        break;
      case Length(7):
        ReadOnnxNode(fields.get_message(), budget, function.nodes.emplace_back());
        break;
      case Length(10):
        function.domain = ViewOf(fields);
        break;
      case Length(11):
        ReadAttribute(fields.get_message(), function.defaults.emplace_back());
        break;
      case Length(12):
        ReadValueInfo(fields.get_message(), function.value_infos.emplace_back());
        break;
      case Length(13):
        function.overload = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
}

void ReadOpset(pbf_reader fields, OnnxOpset& opset) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        opset.domain = ViewOf(fields);
        break;
      case Varint(2):
        opset.version = fields.get_int64();
        break;
      default:
        fields.skip();
    }
  }
}

// A ModelProto whose graph and functions are still serialized.
struct ModelParts {
  OnnxModel model;
  std::string_view graph;
  bool has_graph = false;
  std::vector<std::string_view> functions;
};

void ReadModelParts(pbf_reader fields, ModelParts& parts) {
  parts.model.opsets.reserve(CountFields(fields, Length(8)));
  parts.model.metadata.reserve(CountFields(fields, Length(14)));
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Varint(1):
        parts.model.ir_version = fields.get_int64();
        break;
      case Length(2):
        parts.model.producer_name = ViewOf(fields);
        break;
      case Length(3):
        parts.model.producer_version = ViewOf(fields);
        break;
      case Length(7):
        parts.graph = ViewOf(fields);
        parts.has_graph = true;
        break;
      case Length(8):
        ReadOpset(fields.get_message(), parts.model.opsets.emplace_back());
        break;
      case Length(14):
        parts.model.metadata.push_back(ReadOnnxStringPair(fields.get_message()));
        break;
      case Length(25):
        parts.functions.push_back(ViewOf(fields));
        break;
      default:
        fields.skip();
    }
  }
}

Result<ModelParts> ParseModelParts(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(ModelParts parts,
                          ReadMessage<ModelParts>("ONNX model", bytes, ReadModelParts));
  if (!parts.has_graph) {
    return Fail(ErrorCode::kInvalidArgument, "this is not an ONNX model: its " +
                                                 std::to_string(bytes.size()) +
                                                 " bytes contain no graph");
  }
  return parts;
}

}  // namespace

Result<OnnxGraph> ParseOnnxGraph(std::string_view bytes) {
  PartBudget budget(bytes.size());
  GraphParts parts;
  CBOARD_ASSIGN_OR_RETURN(
      OnnxGraph graph,
      ReadMessage<OnnxGraph>("ONNX graph", bytes, [&](pbf_reader fields, OnnxGraph& made) {
        ReadGraphParts(fields, parts);
        made.name = parts.name;
        budget.Reserve(parts.nodes.size(), made.nodes);
        budget.Reserve(parts.initializers.size(), made.initializers);
        budget.Reserve(parts.inputs.size(), made.inputs);
        budget.Reserve(parts.outputs.size(), made.outputs);
        budget.Reserve(parts.value_infos.size(), made.value_infos);
      }));
  const auto read_node = [&](pbf_reader fields, OnnxNode& node) {
    ReadOnnxNode(fields, budget, node);
  };
  CBOARD_RETURN_IF_ERROR(ReadParts("ONNX node", parts.nodes, read_node, graph.nodes));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) graph.nodes[i].bytes = parts.nodes[i];
  CBOARD_RETURN_IF_ERROR(
      ReadParts("ONNX initializer", parts.initializers, ReadOnnxTensor, graph.initializers));
  graph.sparse_initializers = std::move(parts.sparse_initializers);
  CBOARD_RETURN_IF_ERROR(ReadParts("ONNX input", parts.inputs, ReadValueInfo, graph.inputs));
  CBOARD_RETURN_IF_ERROR(ReadParts("ONNX output", parts.outputs, ReadValueInfo, graph.outputs));
  CBOARD_RETURN_IF_ERROR(
      ReadParts("ONNX value_info", parts.value_infos, ReadValueInfo, graph.value_infos));
  return graph;
}

Result<OnnxGraph> ParseOnnxModel(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const ModelParts parts, ParseModelParts(bytes));
  return ParseOnnxGraph(parts.graph);
}

Result<OnnxModel> ParseOnnxModelWithFunctions(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(ModelParts parts, ParseModelParts(bytes));
  OnnxModel model = std::move(parts.model);
  CBOARD_ASSIGN_OR_RETURN(model.graph, ParseOnnxGraph(parts.graph));
  PartBudget budget(bytes.size());
  CBOARD_RETURN_IF_ERROR(
      ReadMessageInto("ONNX model", bytes, model, [&](const pbf_reader&, OnnxModel& made) {
        budget.Reserve(parts.functions.size(), made.functions);
      }));
  const auto read_function = [&](pbf_reader fields, OnnxFunction& function) {
    ReadFunction(fields, budget, function);
  };
  CBOARD_RETURN_IF_ERROR(
      ReadParts("ONNX function", parts.functions, read_function, model.functions));
  return model;
}

namespace {

// Element types, indexed by their numbers in TensorProto.DataType.
constexpr DType kOnnxTypes[] = {DType::kUnknown,        DType::kFloat32,    DType::kUint8,
                                DType::kInt8,           DType::kUint16,     DType::kInt16,
                                DType::kInt32,          DType::kInt64,      DType::kString,
                                DType::kBool,           DType::kFloat16,    DType::kFloat64,
                                DType::kUint32,         DType::kUint64,     DType::kComplex64,
                                DType::kComplex128,     DType::kBfloat16,   DType::kFloat8E4m3fn,
                                DType::kFloat8E4m3fnuz, DType::kFloat8E5m2, DType::kFloat8E5m2fnuz,
                                DType::kUint4,          DType::kInt4,       DType::kFloat4E2m1,
                                DType::kFloat8E8m0,     DType::kUint2,      DType::kInt2};

}  // namespace

DType DTypeOfOnnx(int elem_type) {
  if (elem_type < 0 || elem_type >= static_cast<int>(std::size(kOnnxTypes))) return DType::kUnknown;
  return kOnnxTypes[elem_type];
}

int OnnxTypeOf(DType dtype) {
  const auto* const found = std::ranges::find(kOnnxTypes, dtype);
  return found == std::end(kOnnxTypes) ? 0 : static_cast<int>(found - std::begin(kOnnxTypes));
}

}  // namespace cboard::proto
