#include "quantize/graph/encode_graph.h"

#include <algorithm>
#include <system_error>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "proto/wire_writer.h"
#include "quantize/graph/constant_file.h"
#include "runtime/onnx_fields.h"

namespace cboard::quantize {
namespace {

constexpr std::size_t kMaxProtobufBytes = (std::size_t{1} << 31) - 1;
constexpr std::size_t kExternalAlignment = 4096;

// The position of a constant's elements in the data file.
struct Placed {
  std::uint64_t offset = 0;
};
using Offsets = std::map<std::string, Placed>;

template <typename Fields>
void WriteConstant(Fields& graph, const std::string& name, const Constant& constant,
                   const Offsets& placed, const std::string& data_name) {
  if (!constant.encoded.empty())
    return graph.PresentBytes(runtime::kGraphInitializer, constant.encoded);
  const auto found = placed.find(name);
  graph.Message(runtime::kGraphInitializer, [&](auto& tensor) {
    for (const std::int64_t size : constant.shape) tensor.PresentInt(runtime::kTensorDims, size);
    tensor.Int(runtime::kTensorType, constant.element_type);
    tensor.PresentBytes(runtime::kTensorName, name);
    if (found == placed.end())
      return tensor.PresentBytes(runtime::kTensorRawData, constant.elements);
    const auto entry = [&](std::string_view key, const std::string& value) {
      tensor.Message(13, [&](auto& pair) {
        pair.PresentBytes(1, key);
        pair.PresentBytes(2, value);
      });
    };
    entry("location", data_name);
    entry("offset", std::to_string(found->second.offset));
    entry("length", std::to_string(constant.elements.size()));
    tensor.Int(14, 1);
  });
}

template <typename Fields>
void WriteNode(Fields& graph, const Node& node) {
  graph.Message(runtime::kGraphNode, [&](auto& fields) {
    for (const std::string& input : node.inputs) fields.PresentBytes(runtime::kNodeInput, input);
    for (const std::string& output : node.outputs)
      fields.PresentBytes(runtime::kNodeOutput, output);
    fields.Bytes(3, node.name);
    fields.Bytes(runtime::kNodeOperator, node.op_type);
    for (const Attribute& attribute : node.attributes) {
      fields.PresentBytes(runtime::kNodeAttribute, attribute.encoded);
    }
    fields.Bytes(runtime::kNodeDomain, node.domain);
  });
}

template <typename Fields>
void WriteGraph(Fields& fields, const Graph& graph, const std::vector<std::string>& extra_outputs,
                const Offsets& placed, const std::string& data_name) {
  for (const Node& node : graph.nodes) WriteNode(fields, node);
  fields.Bytes(runtime::kGraphName, graph.name.empty() ? "graph" : graph.name);
  for (const auto& [name, constant] : graph.constants) {
    WriteConstant(fields, name, constant, placed, data_name);
  }
  for (const Value& input : graph.inputs) fields.PresentBytes(runtime::kGraphInput, input.encoded);
  for (const Value& output : graph.outputs) {
    fields.PresentBytes(runtime::kGraphOutput, output.encoded);
  }
  for (const std::string& output : extra_outputs) {
    fields.Message(runtime::kGraphOutput, [&](auto& value) { value.PresentBytes(1, output); });
  }
  for (const Value& value : graph.values) fields.PresentBytes(13, value.encoded);
  for (const std::string& sparse : graph.sparse_constants) {
    fields.PresentBytes(runtime::kGraphSparseInitializer, sparse);
  }
}

std::string Encode(const Graph& graph, const std::vector<std::string>& extra_outputs,
                   const Offsets& placed, const std::string& data_name) {
  return proto::EncodeMessage([&](auto& model) {
    model.Int(1, graph.ir_version);
    model.Text(2, "compression-board");
    model.Message(runtime::kModelGraph, [&](auto& fields) {
      WriteGraph(fields, graph, extra_outputs, placed, data_name);
    });
    for (const auto& [domain, version] : graph.opsets) {
      model.Message(8, [&](auto& opset) {
        opset.Bytes(1, domain);
        opset.Int(2, version);
      });
    }
    for (const auto& [key, value] : graph.metadata) {
      model.Message(14, [&](auto& pair) {
        pair.PresentBytes(1, key);
        pair.PresentBytes(2, value);
      });
    }
    for (const std::string& function : graph.functions) model.PresentBytes(25, function);
  });
}

// Writes the elements of placed constants at their offsets.
Result<void> WriteElements(const Graph& graph, const Offsets& placed, File& file) {
  static const std::string zeros(kExternalAlignment, '\0');
  std::uint64_t end = 0;
  for (const auto& [name, place] : placed) {
    const std::string_view elements = graph.constants.at(name).elements;
    CBOARD_RETURN_IF_ERROR(
        file.Write(AsBytes(std::string_view(zeros).substr(0, place.offset - end))));
    CBOARD_RETURN_IF_ERROR(file.Write(AsBytes(elements)));
    end = place.offset + elements.size();
  }
  return {};
}

}  // namespace

std::size_t EncodedSize(const Graph& graph) {
  std::size_t size = 0;
  for (const auto& [name, constant] : graph.constants) {
    size += constant.elements.size() + constant.encoded.size() + name.size() + 64;
  }
  for (const Node& node : graph.nodes) {
    size += 256;
    for (const Attribute& attribute : node.attributes) size += attribute.encoded.size() + 8;
  }
  return size;
}

Result<WrittenModel> WriteModel(const Graph& graph, const std::filesystem::path& path,
                                const std::vector<std::string>& outputs,
                                std::size_t max_model_bytes) {
  WrittenModel written;
  std::filesystem::path data = path;
  data += ".data";
  if (EncodedSize(graph) > max_model_bytes) {
    Offsets placed;
    for (const auto& [name, constant] : graph.constants) {
      if (constant.elements.size() < 1024 || !constant.encoded.empty()) continue;
      const std::size_t offset =
          (written.data_bytes + kExternalAlignment - 1) / kExternalAlignment * kExternalAlignment;
      placed[name] = {offset};
      written.data_bytes = offset + constant.elements.size();
    }
    CBOARD_ASSIGN_OR_RETURN(File file, File::CreateTemporarySibling(data));
    std::error_code error;
    auto done = WriteElements(graph, placed, file);
    if (done) std::filesystem::rename(file.path(), data, error);
    if (error) done = Fail(ErrnoError(error.value(), "write " + Quoted(data.string(), 1000)));
    std::error_code ignored;
    if (!done) std::filesystem::remove(file.path(), ignored);
    CBOARD_RETURN_IF_ERROR(done);
    const std::string model = Encode(graph, outputs, placed, data.filename().string());
    written.model_bytes = model.size();
    CBOARD_RETURN_IF_ERROR(WriteFileAtomically(path, model));
    return written;
  }
  const std::string model = Encode(graph, outputs, {}, {});
  written.model_bytes = model.size();
  CBOARD_RETURN_IF_ERROR(WriteFileAtomically(path, model));
  return written;
}

std::string EncodeWithConstantFile(const Graph& graph, const std::vector<std::string>& outputs) {
  Offsets placed;
  for (const auto& [name, constant] : graph.constants) {
    if (constant.elements.empty()) continue;
    if (const auto offset = graph.constant_file->OffsetOf(constant.elements)) {
      placed[name] = {*offset};
    }
  }
  return Encode(graph, outputs, placed, std::string(ConstantFile::kName));
}

std::string EncodeBody(const Graph& body) {
  return proto::EncodeMessage([&](auto& fields) { WriteGraph(fields, body, {}, {}, {}); });
}

Result<std::string> EncodeGraph(const Graph& graph) { return EncodeGraphWithOutputs(graph, {}); }

Result<std::string> EncodeGraphWithOutputs(const Graph& graph,
                                           const std::vector<std::string>& outputs) {
  if (const std::size_t size = EncodedSize(graph); size > kMaxProtobufBytes) {
    return Fail(ErrorCode::kResourceExhausted,
                "the model would need " + HumanBytes(static_cast<double>(size)) +
                    ", but an ONNX file without external data is limited to 2 GiB");
  }
  return Encode(graph, outputs, {}, {});
}

}  // namespace cboard::quantize
