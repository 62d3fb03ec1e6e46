#include <algorithm>
#include <limits>
#include <system_error>

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "model/storage/mapped_file.h"
#include "proto/wire_writer.h"
#include "quantize/graph/graph.h"
#include "runtime/onnx_fields.h"
#include "runtime/onnx_parts.h"

namespace cboard::quantize {
namespace {

namespace fs = std::filesystem;
using File = std::shared_ptr<const model::MappedFile>;

constexpr std::uint32_t kModelFunction = 25;

// Maps the files that contain a model's weights, each once.
class ExternalFiles {
 public:
  explicit ExternalFiles(const fs::path& model)
      : folder_(model.has_parent_path() ? model.parent_path() : fs::path(".")) {}

  Result<Constant> Read(const proto::OnnxTensor& tensor) {
    CBOARD_ASSIGN_OR_RETURN(const File file, Map(std::string(tensor.location)));
    const std::string_view all = file->text();
    const std::uint64_t length =
        tensor.length.value_or(all.size() - std::min<std::uint64_t>(all.size(), tensor.offset));
    if (tensor.offset > all.size() || length > all.size() - tensor.offset) {
      return Fail(ErrorCode::kTruncated,
                  "the weights of tensor " + Quoted(tensor.name) + " lie after the end of " +
                      Quoted(tensor.location, 300) + ", which has only " +
                      std::to_string(all.size()) + " bytes; export the model again");
    }
    Constant constant{.element_type = tensor.elem_type,
                      .elements = all.substr(tensor.offset, length)};
    constant.owner = file;
    return constant;
  }

  std::vector<File> files() const {
    std::vector<File> all;
    for (const auto& [location, file] : files_) all.push_back(file);
    return all;
  }

 private:
  Result<File> Map(const std::string& location) {
    if (const auto found = files_.find(location); found != files_.end()) return found->second;
    const fs::path relative(location);
    std::error_code error;
    const fs::path folder = fs::canonical(folder_, error);
    const fs::path path = error ? fs::path() : fs::canonical(folder / relative, error);
    if (location.empty() || error) {
      return Fail(ErrorCode::kNotFound,
                  "the model's weights are in " + Quoted(location, 300) +
                      ", which does not exist; put the file next to the model");
    }
    const fs::path inside = path.lexically_relative(folder);
    if (relative.is_absolute() || inside.empty() || *inside.begin() == "..") {
      return Fail(ErrorCode::kPermissionDenied,
                  "the model's weights are in " + Quoted(location, 300) +
                      ", which is outside the model's directory; move it there");
    }
    CBOARD_ASSIGN_OR_RETURN(File file, model::MappedFile::Open(path));
    return files_[location] = std::move(file);
  }

  fs::path folder_;
  std::map<std::string, File> files_;
};

Result<Constant> ReadConstant(const proto::OnnxTensor& tensor,
                              const std::shared_ptr<const void>& file, ExternalFiles& external) {
  Constant constant;
  const std::size_t element_bytes = ElementBytes(tensor.elem_type);
  if (element_bytes == 0) {
    constant = {.element_type = tensor.elem_type, .owner = file, .encoded = tensor.bytes};
    constant.shape.assign(tensor.shape.begin(), tensor.shape.end());
    return constant;
  }
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0 || (size > 0 && count > (std::size_t{1} << 40) / static_cast<std::size_t>(size))) {
      return Fail(ErrorCode::kDataLoss, "tensor " + Quoted(tensor.name) +
                                            " has an invalid shape; export the model again");
    }
    count *= static_cast<std::size_t>(size);
  }
  if (tensor.is_external) {
    CBOARD_ASSIGN_OR_RETURN(constant, external.Read(tensor));
  } else {
    CBOARD_ASSIGN_OR_RETURN(proto::OnnxElements elements, proto::ElementsOf(tensor));
    if (elements.is_decoded) {
      constant = Constant::Of(tensor.elem_type, {}, std::move(elements.decoded));
    } else {
      constant = {.element_type = tensor.elem_type, .elements = elements.in_place, .owner = file};
    }
  }
  constant.shape.assign(tensor.shape.begin(), tensor.shape.end());
  if (constant.elements.size() < count * element_bytes) {
    return Fail(ErrorCode::kDataLoss, "tensor " + Quoted(tensor.name) + " has " +
                                          std::to_string(constant.elements.size()) +
                                          " bytes, but its shape needs " +
                                          std::to_string(count * element_bytes));
  }
  constant.elements = constant.elements.substr(0, count * element_bytes);
  return constant;
}

Result<Node> ReadNode(const proto::OnnxNode& from, const std::shared_ptr<const void>& file,
                      ExternalFiles& external) {
  Node node{.name = std::string(from.name),
            .op_type = std::string(from.op_type),
            .domain = std::string(from.domain == "ai.onnx" ? "" : from.domain),
            .inputs = {from.inputs.begin(), from.inputs.end()},
            .outputs = {from.outputs.begin(), from.outputs.end()}};
  std::vector<std::string_view> encoded;
  const auto cut = [](proto::pbf_reader fields, std::vector<std::string_view>& out) {
    runtime::ForEachField(fields,
                          [&](std::uint32_t tag, std::string_view content, std::string_view) {
                            if (tag == proto::Length(runtime::kNodeAttribute))
                              out.push_back(content);
                          });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX node", from.bytes, encoded, cut));
  if (encoded.size() != from.attributes.size()) {
    return Fail(ErrorCode::kDataLoss,
                "node " + Quoted(from.name) + " of the model is damaged; export the model again");
  }
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    const proto::OnnxAttribute& read = from.attributes[i];
    Attribute attribute{.name = std::string(read.name),
                        .encoded = std::string(encoded[i]),
                        .ints = read.ints,
                        .floats = read.floats,
                        .strings = {read.strings.begin(), read.strings.end()},
                        .graphs = {read.graphs.begin(), read.graphs.end()}};
    if (read.kind == proto::OnnxAttributeKind::kTensor) {
      CBOARD_ASSIGN_OR_RETURN(attribute.tensor, ReadConstant(read.tensor, file, external));
    }
    node.attributes.push_back(std::move(attribute));
  }
  return node;
}

Value ValueOf(const proto::OnnxValueInfo& info, std::string_view encoded) {
  return {.name = std::string(info.name),
          .element_type = info.elem_type,
          .has_shape = info.has_shape,
          .shape = {info.shape.begin(), info.shape.end()},
          .encoded = std::string(encoded)};
}

// The graph's inputs, outputs and annotations as bytes, and the model's functions.
struct EncodedParts {
  std::vector<std::string_view> inputs, outputs, values, functions;
};
Result<EncodedParts> CutParts(std::string_view model) {
  EncodedParts parts;
  std::string_view graph;
  const auto read_model = [&](proto::pbf_reader fields, EncodedParts& out) {
    runtime::ForEachField(fields,
                          [&](std::uint32_t tag, std::string_view content, std::string_view) {
                            if (tag == proto::Length(runtime::kModelGraph)) graph = content;
                            if (tag == proto::Length(kModelFunction))
                              out.functions.push_back(content);
                          });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX model", model, parts, read_model));
  const auto read_graph = [](proto::pbf_reader fields, EncodedParts& out) {
    runtime::ForEachField(fields,
                          [&](std::uint32_t tag, std::string_view content, std::string_view) {
                            if (tag == proto::Length(runtime::kGraphInput))
                              out.inputs.push_back(content);
                            if (tag == proto::Length(runtime::kGraphOutput))
                              out.outputs.push_back(content);
                            if (tag == proto::Length(13)) out.values.push_back(content);
                          });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX graph", graph, parts, read_graph));
  return parts;
}

Result<Graph> ReadFrom(const File& file) {
  CBOARD_ASSIGN_OR_RETURN(const proto::OnnxModel model,
                          proto::ParseOnnxModelWithFunctions(file->text()));
  CBOARD_ASSIGN_OR_RETURN(const EncodedParts encoded, CutParts(file->text()));
  Graph graph{
      .path = file->path(), .ir_version = model.ir_version, .name = std::string(model.graph.name)};
  for (const proto::OnnxOpset& opset : model.opsets) {
    graph.opsets[opset.domain == "ai.onnx" ? "" : std::string(opset.domain)] = opset.version;
  }
  ExternalFiles external(file->path());
  for (const proto::OnnxTensor& tensor : model.graph.initializers) {
    CBOARD_ASSIGN_OR_RETURN(Constant constant, ReadConstant(tensor, file, external));
    graph.constants.emplace(tensor.name, std::move(constant));
  }
  for (const proto::OnnxNode& node : model.graph.nodes) {
    CBOARD_ASSIGN_OR_RETURN(Node read, ReadNode(node, file, external));
    graph.nodes.push_back(std::move(read));
  }
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    if (graph.constants.contains(std::string(model.graph.inputs[i].name))) continue;
    graph.inputs.push_back(ValueOf(model.graph.inputs[i], encoded.inputs[i]));
  }
  for (std::size_t i = 0; i < model.graph.outputs.size(); ++i) {
    graph.outputs.push_back(ValueOf(model.graph.outputs[i], encoded.outputs[i]));
  }
  for (std::size_t i = 0; i < model.graph.value_infos.size(); ++i) {
    graph.values.push_back(ValueOf(model.graph.value_infos[i], encoded.values[i]));
  }
  graph.sparse_constants = {model.graph.sparse_initializers.begin(),
                            model.graph.sparse_initializers.end()};
  graph.functions = {encoded.functions.begin(), encoded.functions.end()};
  graph.files = external.files();
  graph.files.push_back(file);
  for (const auto& [key, value] : model.metadata) graph.metadata.emplace_back(key, value);
  for (const auto& [name, constant] : graph.constants) graph.used_names.insert(name);
  for (const Value& input : graph.inputs) graph.used_names.insert(input.name);
  for (const Node& node : graph.nodes) {
    graph.used_names.insert(node.name);
    graph.used_names.insert(node.outputs.begin(), node.outputs.end());
    for (std::string& name : NamesInBodies(node)) graph.used_names.insert(std::move(name));
  }
  return graph;
}

}  // namespace

Result<Graph> ReadGraph(const fs::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const File file, model::MappedFile::Open(path));
  auto graph = ReadFrom(file);
  if (!graph) return Fail(Annotate(std::move(graph).error(), Quoted(path.string(), 1000)));
  CBOARD_RETURN_IF_ERROR(file->CheckUnchanged());
  return graph;
}

Result<Graph> ParseBody(const std::string& body, const Graph& outer) {
  std::string model = proto::EncodeMessage([&](auto& fields) {
    fields.Int(1, outer.ir_version);
    fields.PresentBytes(runtime::kModelGraph, body);
  });
  CBOARD_ASSIGN_OR_RETURN(Graph graph, ParseGraph(std::move(model), outer.path));
  graph.opsets = outer.opsets;
  graph.used_names.insert(outer.used_names.begin(), outer.used_names.end());
  return graph;
}

Result<Graph> ParseGraph(std::string bytes, const fs::path& path) {
  return ReadFrom(model::MappedFile::FromMemory(std::move(bytes), path));
}

}  // namespace cboard::quantize
