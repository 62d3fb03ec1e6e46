#include "model/tensorflow/tensorflow_messages.h"

#include <algorithm>

#include "proto/number_list.h"
#include "proto/packed.h"
#include "proto/part_budget.h"
#include "proto/shape.h"
#include "proto/wire_reader.h"

namespace cboard::model {
namespace {

using proto::BoolOf;
using proto::CountFields;
using proto::Fixed32;
using proto::Length;
using proto::PartBudget;
using proto::pbf_reader;
using proto::ReadMapEntry;
using proto::Varint;
using proto::ViewOf;

std::optional<std::vector<std::int64_t>> KnownShape(pbf_reader fields) {
  proto::ShapeFields shape = proto::ReadShape(fields);
  if (shape.unknown_rank) return std::nullopt;
  return std::move(shape.dimensions);
}

// Reads an AttrValue.ListValue message.
void ReadList(pbf_reader fields, TensorFlowAttribute& attribute) {
  std::vector<std::int64_t> integers;
  std::vector<float> floats;
  std::vector<std::string> texts;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(2):
        texts.emplace_back(ViewOf(fields));
        break;
      case Varint(3):
      case Length(3):
      case Varint(5):
      case Length(5):
        proto::ForEachVarint(fields, [&](std::uint64_t value) {
          integers.push_back(static_cast<std::int64_t>(value));
        });
        break;
      case Fixed32(4):
      case Length(4):
        proto::AppendFixed(fields, floats);
        break;
      case Length(7):
        attribute.shapes.push_back(KnownShape(fields.get_message()));
        break;
      default:
        fields.skip();
    }
  }
  if (!integers.empty()) attribute.value = std::move(integers);
  if (!floats.empty()) attribute.value = std::vector<double>(floats.begin(), floats.end());
  if (!texts.empty()) attribute.value = std::move(texts);
}

// Returns field 1 of a message if it is a string. In NameAttrList and ArgDef, this is the name.
std::string_view FirstText(pbf_reader fields) {
  std::string_view text;
  while (fields.next()) {
    if (fields.tag_and_type() == Length(1)) {
      text = ViewOf(fields);
    } else {
      fields.skip();
    }
  }
  return text;
}

void ReadAttributeValue(pbf_reader fields, TensorFlowAttribute& attribute) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        ReadList(fields.get_message(), attribute);
        break;
      case Length(2):
        attribute.value = std::string(ViewOf(fields));
        break;
      case Varint(3):
        attribute.value = fields.get_int64();
        break;
      case Fixed32(4):
        attribute.value = static_cast<double>(fields.get_float());
        break;
      case Varint(5):
        attribute.value = std::int64_t{BoolOf(fields) ? 1 : 0};
        break;
      case Varint(6):
        attribute.type = static_cast<proto::DataType>(fields.get_enum());
        break;
      case Length(7):
        attribute.shape = KnownShape(fields.get_message());
        break;
      case Length(8):
        attribute.tensor = ViewOf(fields);
        break;
      case Length(10):
        attribute.function = FirstText(fields.get_message());
        break;
      default:
        fields.skip();
    }
  }
}

void ReadNode(pbf_reader fields, PartBudget& budget, TensorFlowNode& node) {
  budget.Reserve(CountFields(fields, Length(5)), node.attributes);
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        node.name = ViewOf(fields);
        break;
      case Length(2):
        node.op = ViewOf(fields);
        break;
      case Length(3):
        node.inputs.push_back(ViewOf(fields));
        break;
      case Length(5):
        ReadMapEntry(fields.get_message(), [&](std::string_view key, std::string_view value) {
          auto& attribute = node.attributes.emplace_back(key, TensorFlowAttribute());
          ReadAttributeValue(pbf_reader(value.data(), value.size()), attribute.second);
        });
        break;
      default:
        fields.skip();
    }
  }
}

// Reads an OpDef message, which is the signature of a function.
void ReadSignature(pbf_reader fields, TensorFlowFunction& function) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        function.name = ViewOf(fields);
        break;
      case Length(2):
        function.inputs.push_back(FirstText(fields.get_message()));
        break;
      case Length(3):
        function.outputs.push_back(FirstText(fields.get_message()));
        break;
      default:
        fields.skip();
    }
  }
}

void ReadFunction(pbf_reader fields, PartBudget& budget, TensorFlowFunction& function) {
  budget.Reserve(CountFields(fields, Length(3)), function.nodes);
  budget.Reserve(CountFields(fields, Length(4)), function.returns);
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        ReadSignature(fields.get_message(), function);
        break;
      case Length(3):
        ReadNode(fields.get_message(), budget, function.nodes.emplace_back());
        break;
      case Length(4):
        ReadMapEntry(fields.get_message(), [&](std::string_view key, std::string_view value) {
          function.returns.emplace_back(key, value);
        });
        break;
      default:
        fields.skip();
    }
  }
}

void ReadGraph(pbf_reader fields, PartBudget& budget, TensorFlowGraph& graph) {
  budget.Reserve(CountFields(fields, Length(1)), graph.nodes);
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        ReadNode(fields.get_message(), budget, graph.nodes.emplace_back());
        break;
      case Length(2): {
        pbf_reader library = fields.get_message();
        budget.Reserve(CountFields(library, Length(1)), graph.functions);
        while (library.next()) {
          if (library.tag_and_type() == Length(1)) {
            ReadFunction(library.get_message(), budget, graph.functions.emplace_back());
          } else {
            library.skip();
          }
        }
        break;
      }
      default:
        fields.skip();
    }
  }
}

// Reads the names of the tensors in a SignatureDef message.
void ReadSignatureDef(pbf_reader fields, SavedModelParts& parts) {
  while (fields.next()) {
    const bool is_input = fields.tag_and_type() == Length(1);
    if (!is_input && fields.tag_and_type() != Length(2)) {
      fields.skip();
      continue;
    }
    ReadMapEntry(fields.get_message(), [&](std::string_view, std::string_view info) {
      const std::string_view name = FirstText(pbf_reader(info.data(), info.size()));
      if (!name.empty()) (is_input ? parts.inputs : parts.outputs).push_back(name);
    });
  }
}

void ReadMetaGraph(pbf_reader fields, SavedModelParts& parts) {
  bool has_signature = false;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1): {
        pbf_reader info = fields.get_message();
        while (info.next()) {
          if (info.tag_and_type() == Length(4)) {
            parts.tags.push_back(ViewOf(info));
          } else if (info.tag_and_type() == Length(5)) {
            parts.version = ViewOf(info);
          } else {
            info.skip();
          }
        }
        break;
      }
      case Length(2):
        parts.graph = ViewOf(fields);
        break;
      case Length(5):
        ReadMapEntry(fields.get_message(), [&](std::string_view key, std::string_view signature) {
          // Skips "__saved_model_init_op": it has a signature but is not an entry point of the
          // model.
          if (key.starts_with("__") || (has_signature && key != "serving_default")) return;
          has_signature = true;
          parts.inputs.clear();
          parts.outputs.clear();
          ReadSignatureDef(pbf_reader(signature.data(), signature.size()), parts);
        });
        break;
      default:
        fields.skip();
    }
  }
}

// The field number of a TensorProto's list for elements of a type, and the bytes per element in
// tensor_content.
struct ListStorage {
  std::uint32_t field = 0;
  std::size_t bytes = 0;
};

ListStorage ListStorageOf(DType type) {
  const std::size_t bytes = LayoutOf(type).bytes;
  switch (type) {
    case DType::kFloat32:
      return {5, bytes};
    case DType::kFloat64:
      return {6, bytes};
    case DType::kInt64:
      return {10, bytes};
    case DType::kBool:
      return {11, bytes};
    case DType::kFloat16:
    case DType::kBfloat16:
      return {13, bytes};
    case DType::kUint32:
      return {16, bytes};
    case DType::kUint64:
      return {17, bytes};
    default:
      return {IsInteger(type) ? 7u : 0u, bytes};
  }
}

}  // namespace

const TensorFlowAttribute* TensorFlowNode::Find(std::string_view key) const {
  const auto found =
      std::ranges::find(attributes, key, [](const auto& entry) { return entry.first; });
  return found == attributes.end() ? nullptr : &found->second;
}

Result<TensorFlowGraph> ParseTensorFlowGraph(std::string_view bytes) {
  TensorFlowGraph graph;
  PartBudget budget(bytes.size());
  const auto read = [&](pbf_reader fields, TensorFlowGraph& made) {
    ReadGraph(fields, budget, made);
  };
  if (auto result = proto::ReadMessageInto("GraphDef", bytes, graph, read); !result) {
    if (graph.nodes.empty()) return Fail(std::move(result).error());
    return Fail(Annotate(std::move(result).error(),
                         "the graph is damaged at or after node " +
                             std::string(graph.nodes.back().name.substr(0, 200))));
  }
  return graph;
}

Result<SavedModelParts> ParseSavedModel(std::string_view bytes) {
  using Views = std::vector<std::string_view>;
  CBOARD_ASSIGN_OR_RETURN(
      const Views graphs,
      proto::ReadMessage<Views>("SavedModel", bytes, [](pbf_reader fields, Views& views) {
        while (fields.next()) {
          if (fields.tag_and_type() == Length(2)) {
            views.push_back(ViewOf(fields));
          } else {
            fields.skip();
          }
        }
      }));
  std::optional<SavedModelParts> chosen;
  for (const std::string_view graph : graphs) {
    CBOARD_ASSIGN_OR_RETURN(SavedModelParts parts, proto::ReadMessage<SavedModelParts>(
                                                       "MetaGraphDef", graph, ReadMetaGraph));
    const bool serves = std::ranges::find(parts.tags, "serve") != parts.tags.end();
    if (!chosen || serves) chosen = std::move(parts);
    if (serves) break;
  }
  if (!chosen) {
    return Fail(ErrorCode::kInvalidArgument, "this is not a SavedModel: it contains no graph");
  }
  return *std::move(chosen);
}

Result<TensorFlowElements> ElementsOf(const proto::Tensor& tensor) {
  const ListStorage storage = ListStorageOf(StoredTypeOf(tensor.dtype));
  const proto::NumberFields where{.raw = 4,
                                  .list = storage.field,
                                  .list_is_fixed = storage.field == 5 || storage.field == 6,
                                  .bytes = storage.bytes};
  CBOARD_ASSIGN_OR_RETURN(
      proto::NumberList numbers,
      proto::ReadMessage<proto::NumberList>("TensorProto", tensor.bytes,
                                            [&](pbf_reader fields, proto::NumberList& into) {
                                              proto::CollectNumbers(fields, where, into);
                                            }));
  if (!numbers.in_place.empty()) return TensorFlowElements{.in_place = numbers.in_place};
  return TensorFlowElements{.decoded = std::move(numbers.decoded), .is_decoded = true};
}

}  // namespace cboard::model
