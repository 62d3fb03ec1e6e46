#include "compare/output/log_parts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/compression/tags.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace cboard::compare {

std::string LabelOf(std::string_view model, std::string_view layer, std::string_view variant,
                    std::string_view node) {
  JsonWriter label;
  label.BeginObject().Key("v").Value(1);
  if (!model.empty()) label.Key("model").Value(model);
  if (!variant.empty()) label.Key("variant").Value(variant);
  if (!layer.empty()) label.Key("layer").Value(layer);
  if (!node.empty() && node != layer) label.Key("node").Value(node);
  label.EndObject();
  return label.Take();
}

writer::ScalarLabels LabelsOf(std::string label) {
  return {.plugin_name = std::string(compression::kCompressionPluginName),
          .plugin_content = std::move(label)};
}

LayerTags TagsOf(const std::string& model, std::string_view layer, std::string_view variant,
                 std::string_view node) {
  return {.prefix = model + "/layers/" + TagName(layer) + "/",
          .variant = std::string(variant),
          .label = LabelOf(model, layer, variant, node)};
}

std::string_view WithoutSlash(std::string_view name) {
  const std::size_t start = name.find_first_not_of('/');
  return start == std::string_view::npos ? name : name.substr(start);
}

std::string TagName(std::string_view layer) { return std::string(WithoutSlash(layer)); }

Result<void> AddFigure(SummaryWriter& writer, const LayerTags& tags, std::string_view what,
                       double value) {
  return writer.AddScalar(tags.For(what), value, 0, LabelsOf(tags.label));
}

Result<void> AddHistogram(SummaryWriter& writer, std::string_view tag, std::string_view label,
                          std::int64_t step, const tensor::HistogramData& counted) {
  std::string summary;
  proto::AppendHistogramValue(
      ToValidUtf8(tag),
      {.min = counted.min,
       .max = counted.max,
       .num = counted.num,
       .sum = counted.sum,
       .sum_squares = counted.sum_squares,
       .bucket_limits = counted.bucket_limits,
       .bucket_counts = counted.bucket_counts},
      {.plugin_name = compression::kCompressionPluginName, .plugin_content = label}, summary);
  return writer.AddSummary(summary, step);
}

Result<void> AddJson(SummaryWriter& writer, std::string_view tag, std::string_view json,
                     std::string_view label) {
  constexpr std::array<std::int64_t, 1> kShape = {1};
  const std::array<std::string_view, 1> strings = {json};
  std::string summary;
  proto::AppendTensorValue(
      ToValidUtf8(tag), proto::EncodeStringTensor(kShape, strings),
      {.plugin_name = compression::kCompressionPluginName, .plugin_content = label}, summary);
  return writer.AddSummary(summary, 0);
}

std::string MarkdownCell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::vector<const LayerComparison*> LayersAlongDepth(const ModelComparison& comparison) {
  std::vector<const LayerComparison*> layers;
  for (const LayerComparison& layer : comparison.layers) layers.push_back(&layer);
  std::ranges::stable_sort(layers, {}, [](const LayerComparison* layer) {
    return std::pair(layer->depth, !layer->node.empty());  // Inputs come before the first node.
  });
  return layers;
}

}  // namespace cboard::compare
