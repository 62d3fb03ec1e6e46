#include "compression/tuning/trial_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "proto/wire_reader.h"

namespace cboard::compression {
namespace {

using proto::pbf_reader;
using protozero::pbf_writer;

// Maximum size of an attribute in the logged graph; TensorBoard would drop larger ones when it
// reads the graph.
constexpr std::size_t kMaxAttributeBytes = 1024;

// Maximum size of a constant that is dequantized or repeated, because it is then read completely.
constexpr std::size_t kMaxDecodedElements = std::size_t{1} << 28;

constexpr auto kWeighted = std::to_array<std::string_view>(
    {"Conv2D", "DepthwiseConv2dNative", "MatMul", "FusedBatchNorm", "FusedBatchNormV2",
     "FusedBatchNormV3", "BiasAdd", "_MklFusedInstanceNorm"});

bool IsRequantizing(const model::ModelNode& node) {
  return node.op_type.find("Requantize") != std::string::npos;
}

// Returns how many of the first inputs of a node may be weights and biases. The further inputs of
// quantized operators are ranges and not weights.
std::size_t WeightInputs(const model::ModelNode& node) {
  if (std::ranges::find(kWeighted, node.op_type) != kWeighted.end()) return node.inputs.size();
  const bool quantized = node.op_type.starts_with("Quantized") ||
                         node.op_type.starts_with("_FusedQuantized") ||
                         node.op_type.starts_with("_Quantized");
  const bool multiplies = node.op_type.find("Conv") != std::string::npos ||
                          node.op_type.find("MatMul") != std::string::npos;
  return quantized && multiplies ? std::min<std::size_t>(3, node.inputs.size()) : 0;
}

// Calls `visit(field, raw)` for each field of a message; `raw` includes the key.
template <typename Visit>
void ForEachRawField(pbf_reader fields, Visit&& visit) {
  while (true) {
    const char* const begin = fields.data().data();
    if (!fields.next()) return;
    const std::uint32_t key = static_cast<std::uint32_t>(fields.tag_and_type());
    pbf_reader value = fields;
    fields.skip();
    visit(key, value,
          std::string_view(begin, static_cast<std::size_t>(fields.data().data() - begin)));
  }
}

bool IsLargeValue(std::string_view attribute) {
  if (attribute.size() <= kMaxAttributeBytes) return false;
  pbf_reader entry(attribute.data(), attribute.size());
  return entry.next(1) && proto::ViewOf(entry) == "value";
}

std::string TrimmedNode(std::string_view node) {
  std::string trimmed;
  ForEachRawField(pbf_reader(node.data(), node.size()),
                  [&](std::uint32_t key, pbf_reader value, std::string_view raw) {
                    if (key == proto::Length(5) && IsLargeValue(proto::ViewOf(value))) return;
                    trimmed += raw;
                  });
  return trimmed;
}

}  // namespace

Result<TrialGraph> TrialGraph::Open(const std::filesystem::path& file) {
  CBOARD_ASSIGN_OR_RETURN(model::ModelGraph model, model::OpenModel(file));
  if (model.format() != model::ModelFormat::kTensorFlowGraph) {
    return Fail(ErrorCode::kInvalidArgument,
                "the model file " + Quoted(file.string()) + " has the format " +
                    std::string(NameOf(model.format())) + ", but must be a TensorFlow GraphDef");
  }
  TrialGraph graph(std::move(model));
  graph.is_quantized_ = std::ranges::any_of(graph.model_.nodes(), IsRequantizing);
  return graph;
}

Result<std::string> TrialGraph::Trimmed() const {
  CBOARD_ASSIGN_OR_RETURN(const std::string whole, ReadFile(model_.path()));
  CBOARD_RETURN_IF_ERROR(model_.CheckUnchanged());
  std::string trimmed;
  pbf_writer out(trimmed);
  CBOARD_RETURN_IF_ERROR(
      proto::ReadMessageInto("GraphDef", whole, out, [&](pbf_reader fields, pbf_writer& writer) {
        ForEachRawField(fields, [&](std::uint32_t key, pbf_reader value, std::string_view raw) {
          if (key == proto::Length(1)) {
            writer.add_message(1, TrimmedNode(proto::ViewOf(value)));
          } else {
            trimmed += raw;
          }
        });
      }));
  return trimmed;
}

void TrialGraph::ForEachWeight(
    const std::function<void(std::string_view, const Result<TensorView>&)>& visit) const {
  std::set<model::TensorId> seen;
  for (const model::ModelNode& node : model_.nodes()) {
    for (std::size_t i = 0; i < WeightInputs(node); ++i) {
      const model::TensorId input = node.inputs[i];
      if (!model_.IsWeight(input)) continue;
      const model::TensorId source = model_.tensor(input).source;
      const std::string& name = model_.tensor(source).name;
      if (!seen.insert(source).second) continue;
      if (const std::optional<TensorView> in_place = model_.ViewOf(source)) {
        if (in_place->element_count() > 0) visit(name, *in_place);
        continue;
      }
      const Result<std::vector<float>> decoded = model_.ReadWeights(source, kMaxDecodedElements);
      if (!decoded) {
        visit(name, Fail(decoded.error()));
      } else if (!decoded->empty()) {
        visit(name, TensorView(*decoded));
      }
    }
  }
}

std::optional<TrialGraph::Scale> TrialGraph::ScaleOfOutput(std::string_view name,
                                                           DType codes) const {
  const model::NodeId id = model_.FindNode(name);
  if (id == model::kNoNode || !IsRequantizing(model_.node(id))) return std::nullopt;
  const model::ModelNode& node = model_.node(id);
  // The last two inputs of quantized operators are min_freezed_output and max_freezed_output. In
  // operators with a summand, the summand and its range follow after them.
  const std::size_t from_end = node.op_type.find("Sum") != std::string::npos ? 5 : 2;
  if (node.inputs.size() < from_end) return std::nullopt;
  const std::size_t first = node.inputs.size() - from_end;
  const auto number = [&](std::size_t input) -> std::optional<float> {
    if (!model_.IsWeight(node.inputs[input])) return std::nullopt;
    const Result<std::vector<float>> values = model_.ReadWeights(node.inputs[input], 1);
    if (!values || values->size() != 1) return std::nullopt;
    return values->front();
  };
  const std::optional<float> min = number(first);
  const std::optional<float> max = number(first + 1);
  if (!min || !max) return std::nullopt;
  if (codes == DType::kUint8) {
    const float scale = (*max - *min) / 255;
    const float zero = scale > 0 ? std::round(-*min / scale) : 0;
    if (!(scale > 0) || !(std::abs(zero) <= 255)) return std::nullopt;
    return Scale{scale, static_cast<std::int32_t>(zero)};
  }
  if (codes != DType::kInt8) return std::nullopt;
  const float scale = std::max(std::abs(*min), std::abs(*max)) / 127;
  if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
  return Scale{scale, 0};
}

}  // namespace cboard::compression
