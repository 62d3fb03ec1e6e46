// A comparison as events.
#include <cmath>

#include "cboard/compression/model_comparison.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {
namespace {

constexpr std::string_view kBaseline = "fp32";

Result<void> LogNumbers(SummaryWriter& writer, const std::string& layer, const std::string& variant,
                        const LayerComparison& found) {
  const auto add = [&](const char* metric, double value) -> Result<void> {
    if (!std::isfinite(value)) return {};
    return writer.AddScalar(layer + "/" + metric + "/" + variant, value, 0);
  };
  const auto worst = [](const Comparison& comparison) {
    return comparison.worst_channel ? comparison.channels[*comparison.worst_channel].SqnrDb()
                                    : HUGE_VAL;
  };
  // What a layer does itself: the worse of its weights and the rounding of its output.
  double sqnr = HUGE_VAL, worst_channel = HUGE_VAL, cosine = HUGE_VAL;
  for (const auto* part : {&found.weight, &found.local}) {
    if (!*part) continue;
    sqnr = std::min(sqnr, (*part)->total.SqnrDb());
    worst_channel = std::min(worst_channel, worst(**part));
    cosine = std::min(cosine, (*part)->total.Cosine());
  }
  CBOARD_RETURN_IF_ERROR(add("sqnr_db", sqnr));
  CBOARD_RETURN_IF_ERROR(add("worst_channel_sqnr_db", worst_channel));
  CBOARD_RETURN_IF_ERROR(add("cosine", cosine));
  if (!found.accumulated) return {};
  return add("accumulated_sqnr_db", found.accumulated->total.SqnrDb());
}

Result<void> LogHistograms(SummaryWriter& writer, const std::string& tensor,
                           const std::string& variant, const std::optional<Histograms>& both) {
  if (!both) return {};
  CBOARD_RETURN_IF_ERROR(
      writer.AddHistogramRaw(tensor + "/" + std::string(kBaseline), both->baseline, 0));
  return writer.AddHistogramRaw(tensor + "/" + variant, both->variant, 0);
}

Result<void> LogGraph(const std::filesystem::path& directory, const std::filesystem::path& model) {
  SummaryWriter writer(directory);
  CBOARD_RETURN_IF_ERROR(writer.status());
  CBOARD_RETURN_IF_ERROR(writer.AddOnnxGraph(model));
  return writer.Close();
}

}  // namespace

Result<void> LogComparison(const ModelComparison& comparison,
                           const std::filesystem::path& directory) {
  const std::string variant = VariantName(comparison);
  const std::string model = comparison.baseline.stem().string();
  SummaryWriter writer(directory);
  CBOARD_RETURN_IF_ERROR(writer.status());
  for (const LayerComparison& layer : comparison.layers) {
    const std::size_t start = layer.name.find_first_not_of('/');
    const std::string name = start == std::string::npos ? layer.name : layer.name.substr(start);
    const std::string tag = model + "/layers/" + name;
    CBOARD_RETURN_IF_ERROR(LogNumbers(writer, tag, variant, layer));
    CBOARD_RETURN_IF_ERROR(
        LogHistograms(writer, tag + "/weight", variant, layer.weight_histograms));
    CBOARD_RETURN_IF_ERROR(
        LogHistograms(writer, tag + "/output", variant, layer.output_histograms));
  }
  CBOARD_RETURN_IF_ERROR(writer.Close());
  CBOARD_RETURN_IF_ERROR(LogGraph(directory / kBaseline, comparison.baseline));
  return LogGraph(directory / variant, comparison.variant);
}

}  // namespace cboard::compare
