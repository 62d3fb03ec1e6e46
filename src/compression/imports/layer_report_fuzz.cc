// Any bytes give a report of each kind or an Error, and layers that were read have names and
// metrics.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cboard/base/check.h"
#include "cboard/compression/layer_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(compression::DetectLayerReport(text, "per_layer_mse_loss.json"));
  for (const auto kind :
       {compression::LayerReportKind::kAimet, compression::LayerReportKind::kTfliteDebugger,
        compression::LayerReportKind::kMct, compression::LayerReportKind::kNeuralCompressor,
        compression::LayerReportKind::kModelExplorer}) {
    const auto report = compression::ParseLayerReport(text, "per_layer_mse_loss.json", kind);
    if (!report) {
      CBOARD_CHECK(!report.error().message.empty());
      continue;
    }
    CBOARD_CHECK(!report->models.empty());
    for (const compression::ReportedModel& model : report->models) {
      CBOARD_CHECK(!model.layers.empty() || !model.figures.empty());
      for (const compression::ReportedLayer& layer : model.layers) {
        CBOARD_CHECK(!layer.layer.empty() && !layer.figures.empty());
      }
    }
  }
  return 0;
}
