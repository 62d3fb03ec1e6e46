// Any bytes are a report of each kind or an Error, and layers that were read have names and
// figures.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cboard/base/check.h"
#include "cboard/compression/layer_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(DetectLayerReport(text, "per_layer_mse_loss.json"));
  for (const auto kind :
       {LayerReportKind::kAimet, LayerReportKind::kTfliteDebugger, LayerReportKind::kMct,
        LayerReportKind::kNeuralCompressor, LayerReportKind::kModelExplorer}) {
    const auto report = ParseLayerReport(text, "per_layer_mse_loss.json", kind);
    if (!report) {
      CBOARD_CHECK(!report.error().message.empty());
      continue;
    }
    CBOARD_CHECK(!report->models.empty());
    for (const ReportedModel& model : report->models) {
      CBOARD_CHECK(!model.layers.empty() || !model.figures.empty());
      for (const ReportedLayer& layer : model.layers) {
        CBOARD_CHECK(!layer.layer.empty() && !layer.figures.empty());
      }
    }
  }
  return 0;
}
