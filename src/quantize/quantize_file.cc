#include "cboard/quantize/model_quantizer.h"

namespace cboard::quantize {

Result<QuantizeReport> QuantizeFile(const std::filesystem::path& model,
                                    const std::filesystem::path& output,
                                    const QuantizeOptions& options) {
  QuantizeReport report{.model = model, .output = output};
  CBOARD_ASSIGN_OR_RETURN(const auto quantizer, ModelQuantizer::Open(model, options));
  CBOARD_RETURN_IF_ERROR(quantizer->Calibrate());
  CBOARD_ASSIGN_OR_RETURN(PlanChoice choice, ChoosePlan(*quantizer));
  report.plan = std::move(choice.plan);
  report.quality = choice.quality;
  report.tried = std::move(choice.tried);
  report.notes = std::move(choice.notes);
  if (options.precision == Precision::kW8A8) {
    CBOARD_ASSIGN_OR_RETURN(report.unfused, quantizer->FindUnfused(report.plan));
  }
  CBOARD_ASSIGN_OR_RETURN(report.file, quantizer->Save(report.plan, output));
  report.samples = quantizer->statistics().samples;
  report.source = quantizer->statistics().source;
  report.is_generated = quantizer->statistics().is_generated;
  report.notes.insert(report.notes.begin(), quantizer->notes().begin(), quantizer->notes().end());
  return report;
}

}  // namespace cboard::quantize
