#include "runtime/graph_outputs.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "proto/wire_writer.h"
#include "runtime/onnx_fields.h"
#include "runtime/onnx_parts.h"

namespace cboard::runtime {
namespace {

class ExternalFiles {
 public:
  Result<void> Add(const proto::OnnxTensor& tensor) {
    if (!tensor.is_external) return {};
    const std::filesystem::path location(tensor.location);
    const bool leaves =
        location.is_absolute() || location.empty() ||
        std::ranges::any_of(location, [](const auto& part) { return part == ".."; });
    if (leaves) {
      return Fail(ErrorCode::kPermissionDenied,
                  "the weight " + Quoted(tensor.name) + " is stored in " + Quoted(tensor.location) +
                      ", but only files in the model's directory are read; move the file there");
    }
    if (seen_.insert(tensor.location).second) files_.emplace_back(tensor.location);
    return {};
  }

  Result<void> Add(const proto::OnnxGraph& graph, std::size_t depth) {
    for (const proto::OnnxTensor& tensor : graph.initializers) CBOARD_RETURN_IF_ERROR(Add(tensor));
    for (const proto::OnnxNode& node : graph.nodes) {
      for (const proto::OnnxAttribute& attribute : node.attributes) {
        CBOARD_RETURN_IF_ERROR(Add(attribute.tensor));
        for (const std::string_view bytes : attribute.graphs) {
          if (depth == kMaxBodyDepth) {
            return Fail(ErrorCode::kInvalidArgument, "the model's subgraphs are nested more than " +
                                                         std::to_string(kMaxBodyDepth) +
                                                         " levels deep");
          }
          CBOARD_ASSIGN_OR_RETURN(const proto::OnnxGraph body, proto::ParseOnnxGraph(bytes));
          CBOARD_RETURN_IF_ERROR(Add(body, depth + 1));
        }
      }
    }
    return {};
  }

  std::vector<std::string> Take() { return std::move(files_); }

 private:
  std::unordered_set<std::string_view> seen_;
  std::vector<std::string> files_;
};

}  // namespace

Result<GraphOutputs> FindGraphOutputs(std::string_view model,
                                      std::optional<std::span<const std::string>> names) {
  CBOARD_ASSIGN_OR_RETURN(const proto::OnnxGraph graph, proto::ParseOnnxModel(model));
  GraphOutputs result;
  ExternalFiles files;
  CBOARD_RETURN_IF_ERROR(files.Add(graph, 0));
  result.external_files = files.Take();

  std::unordered_set<std::string_view> wanted, outputs, taken;
  if (names) wanted.insert(names->begin(), names->end());
  for (const proto::OnnxValueInfo& output : graph.outputs) outputs.insert(output.name);
  for (const proto::OnnxNode& node : graph.nodes) {
    const bool is_constant = node.op_type == "Constant" && node.domain.empty();
    for (const std::string_view name : node.outputs) {
      if (name.empty() || (names ? wanted.count(name) == 0 : is_constant)) continue;
      if (!taken.insert(name).second) continue;
      result.tensors.emplace_back(name);
      if (outputs.count(name) == 0) result.added.emplace_back(name);
    }
  }
  if (names) {
    for (const std::string& name : *names) {
      if (taken.count(name) > 0) continue;
      return Fail(ErrorCode::kNotFound,
                  "no node of the model computes " + Quoted(name) +
                      (graph.nodes.empty() || graph.nodes.back().outputs.empty()
                           ? std::string()
                           : "; the last node computes " + Quoted(graph.nodes.back().outputs[0])));
    }
  }
  return result;
}

Result<ModelWithOutputs> AddGraphOutputs(std::string_view model,
                                         std::optional<std::span<const std::string>> names) {
  CBOARD_ASSIGN_OR_RETURN(GraphOutputs found, FindGraphOutputs(model, names));
  ModelWithOutputs result{std::move(found), std::string(model)};
  if (result.added.empty()) return result;
  proto::AppendMessage(result.bytes, [&](auto& fields) {
    fields.Message(kModelGraph, [&](auto& more) {
      for (const std::string& name : result.added) {
        // Writes an output without its type: ONNX Runtime infers the type.
        more.Message(kGraphOutput, [&](auto& value) { value.PresentBytes(kValueInfoName, name); });
      }
    });
  });
  return result;
}

}  // namespace cboard::runtime
