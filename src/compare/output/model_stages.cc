#include "cboard/compare/model_stages.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/output/findings_log.h"
#include "compare/output/log_parts.h"
#include "compare/output/verified_log.h"

namespace cboard::compare {
namespace {

constexpr std::string_view kBefore = "initial_graph";
constexpr std::string_view kAfter = "after_quantization";

compression::StageAttribute ToAttribute(const model::AttributeValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string list;
  const auto append = [&](const auto& items, auto&& text_of) {
    for (const auto& item : items) list += (list.empty() ? "" : ", ") + text_of(item);
  };
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    append(*integers, [](std::int64_t item) { return std::to_string(item); });
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    append(*numbers, ShortestDecimal);
  } else {
    append(std::get<std::vector<std::string>>(value), [](const std::string& item) { return item; });
  }
  return "(" + list + ")";
}

compression::StageAttributes Describe(const model::ModelQuantization& quantization,
                                      const char* bits) {
  compression::StageAttributes attributes = {{bits, std::int64_t{quantization.bits()}},
                                             {"origin", std::string(NameOf(quantization.origin))}};
  if (quantization.granularity == model::ModelQuantization::Granularity::kPerChannel) {
    attributes.emplace_back("channels_axis", static_cast<std::int64_t>(quantization.axis));
  }
  if (!quantization.scales.empty()) {
    const auto [least, greatest] = std::ranges::minmax(quantization.scales);
    if (quantization.scales.size() == 1) {
      attributes.emplace_back("scale", double{least});
    } else {
      attributes.emplace_back("scale_min", double{least});
      attributes.emplace_back("scale_max", double{greatest});
    }
  }
  return attributes;
}

class GraphConverter {
 public:
  explicit GraphConverter(const model::ModelGraph& model) : model_(model) {}

  std::vector<compression::StageNode> Convert() {
    for (const model::TensorId input : model_.inputs()) {
      const model::ModelTensor& tensor = model_.tensor(input);
      if (!tensor.is_constant) Add({.op = "Input"}, tensor.name, {&input, 1});
    }
    for (const model::ModelNode& node : model_.nodes()) {
      compression::StageNode added{.op = node.op_type, .weight_bytes = node.weight_bytes};
      for (const auto& [key, value] : node.attributes) {
        added.attributes.emplace_back(key, ToAttribute(value));
      }
      for (const model::TensorId input : node.inputs) {
        if (input == model::kNoTensor) continue;
        const auto source = sources_.find(model::IndexOf(input));
        if (source != sources_.end()) added.inputs.push_back(source->second);
        const model::ModelTensor& tensor = model_.tensor(input);
        if (tensor.source == model::kNoTensor || !added.weights.empty()) continue;
        const model::ModelTensor& stored = model_.tensor(tensor.source);
        if (stored.quantization) added.weights = Describe(*stored.quantization, "weights_n_bits");
      }
      if (!node.outputs.empty() && node.outputs.front() != model::kNoTensor) {
        const model::ModelTensor& output = model_.tensor(node.outputs.front());
        if (output.quantization && output.source == model::kNoTensor) {
          added.activation = Describe(*output.quantization, "activation_n_bits");
        }
      }
      Add(std::move(added), node.name, node.outputs);
    }
    return std::move(nodes_);
  }

 private:
  void Add(compression::StageNode node, std::string_view name,
           std::span<const model::TensorId> outputs) {
    const std::string stem(WithoutSlash(name));
    node.name = stem;
    // Appends a number to the name if an earlier node or input has the same name.
    for (int n = 2; !names_.insert(node.name).second; ++n) {
      node.name = stem + "_" + std::to_string(n);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == model::kNoTensor) continue;
      sources_.try_emplace(model::IndexOf(outputs[i]),
                           compression::StageInput{node.name, static_cast<std::int64_t>(i)});
      const model::ModelTensor& tensor = model_.tensor(outputs[i]);
      if (tensor.has_shape) node.output_shapes.push_back(tensor.shape);
    }
    nodes_.push_back(std::move(node));
  }

  const model::ModelGraph& model_;
  // The node that computes each tensor.
  std::unordered_map<std::size_t, compression::StageInput> sources_;
  std::unordered_set<std::string> names_;
  std::vector<compression::StageNode> nodes_;
};

Result<void> LogGraph(const std::filesystem::path& path, const model::InputShapes& shapes,
                      std::string_view stage, StageLogger& logger) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph model, model::OpenModel(path, shapes));
  return logger.LogGraph(stage, StageGraphOf(model, path.stem().string()));
}

std::vector<tensor::TensorStatistics> ChannelsOf(
    const tensor::Comparison& comparison, tensor::TensorStatistics tensor::PairStatistics::*side) {
  std::vector<tensor::TensorStatistics> channels;
  for (const tensor::PairStatistics& channel : comparison.channels)
    channels.push_back(channel.*side);
  return channels;
}

Result<void> LogOutput(const LayerComparison& layer, StageLogger& logger) {
  const std::string_view name = WithoutSlash(layer.name);
  if (layer.output_histograms) {
    CBOARD_RETURN_IF_ERROR(logger.LogHistogram(kBefore, name, layer.output_histograms->baseline));
    CBOARD_RETURN_IF_ERROR(logger.LogHistogram(kAfter, name, layer.output_histograms->variant));
  }
  if (!layer.accumulated) return {};
  CBOARD_RETURN_IF_ERROR(logger.LogChannels(
      kBefore, name, ChannelsOf(*layer.accumulated, &tensor::PairStatistics::reference)));
  CBOARD_RETURN_IF_ERROR(logger.LogChannels(
      kAfter, name, ChannelsOf(*layer.accumulated, &tensor::PairStatistics::compressed)));
  CBOARD_RETURN_IF_ERROR(
      logger.LogLayerFigures(kAfter, name,
                             {{"accumulated_sqnr_db", layer.accumulated->total.SqnrDb()},
                              {"cosine", layer.accumulated->total.Cosine()},
                              {"mse", layer.accumulated->total.Mse()}}));
  if (!layer.local) return {};
  CBOARD_RETURN_IF_ERROR(
      logger.LogLayerFigures(kAfter, name, {{"sqnr_db", layer.local->total.SqnrDb()}}));
  if (!layer.local->worst_channel) return {};
  const std::size_t worst = *layer.local->worst_channel;
  return logger.LogLayerFigures(kAfter, name,
                                {{"worst_channel", static_cast<double>(worst)},
                                 {"worst_channel_sqnr_db", layer.local->channels[worst].SqnrDb()}});
}

// Returns the diagnoses and verified runs, with the layer names of a stage (without leading
// slashes).
ModelComparison FoundOf(const ModelComparison& comparison) {
  ModelComparison found;
  found.samples = comparison.samples;
  found.verified = comparison.verified;
  found.why_not_verified = comparison.why_not_verified;
  for (const std::string& layer : comparison.verified_layers) {
    found.verified_layers.emplace_back(WithoutSlash(layer));
  }
  for (Verification& run : found.verified) {
    for (RestoredPart& part : run.parts) part.layer = WithoutSlash(part.layer);
  }
  for (const LayerComparison& layer : comparison.layers) {
    LayerComparison& named = found.layers.emplace_back();
    named.name = WithoutSlash(layer.name);
    named.diagnosis = layer.diagnosis;
    named.diagnosis.explanation = ExplanationOf(layer);
  }
  return found;
}

Result<void> LogFound(const ModelComparison& comparison, StageLogger& logger) {
  const ModelComparison found = FoundOf(comparison);
  const std::string model = compression::TagPrefixOf(logger.model()), stage(kAfter);
  CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, logger.WriterOfStage(stage));
  CBOARD_RETURN_IF_ERROR(LogFindings(*writer, model, stage, found));
  return LogVerified(*writer, model, stage, found);
}

}  // namespace

compression::StageGraph StageGraphOf(const model::ModelGraph& model, std::string name) {
  return {.name = std::move(name), .nodes = GraphConverter(model).Convert()};
}

Result<void> LogModelStages(const ModelComparison& comparison, StageLogger& logger) {
  CBOARD_RETURN_IF_ERROR(LogGraph(comparison.baseline, comparison.input_shapes, kBefore, logger));
  CBOARD_RETURN_IF_ERROR(LogGraph(comparison.variant, comparison.input_shapes, kAfter, logger));
  std::vector<std::string> points;
  std::vector<std::vector<double>> samples;
  std::vector<compression::LayerBits> bits;
  for (const LayerComparison* layer : LayersAlongDepth(comparison)) {
    CBOARD_RETURN_IF_ERROR(LogOutput(*layer, logger));
    if (layer->weight && layer->bits < 32) {
      bits.push_back({.layer = std::string(WithoutSlash(layer->name)),
                      .op = layer->op_type,
                      .weights = layer->bits});
    }
    if (layer->sample_cosines.empty()) continue;
    points.emplace_back(WithoutSlash(layer->name));
    samples.resize(std::max(samples.size(), layer->sample_cosines.size()));
    for (std::size_t i = 0; i < layer->sample_cosines.size(); ++i) {
      samples[i].resize(points.size() - 1, std::numeric_limits<double>::quiet_NaN());
      samples[i].push_back(layer->sample_cosines[i]);
    }
  }
  for (std::vector<double>& sample : samples) {
    sample.resize(points.size(), std::numeric_limits<double>::quiet_NaN());
  }
  CBOARD_RETURN_IF_ERROR(LogFound(comparison, logger));
  if (!points.empty()) CBOARD_RETURN_IF_ERROR(logger.LogCosines(points, samples));
  return bits.empty() ? Result<void>() : logger.LogBitWidths(bits);
}

}  // namespace cboard::compare
