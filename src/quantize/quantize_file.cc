#include "cboard/quantize/model_quantizer.h"
#include "quantize/quantizer_state.h"

namespace cboard::quantize {
namespace {

// The range method whose outputs are closest on held-out samples.
Result<void> ChooseMethod(const ModelQuantizer& model, QuantizeReport& report) {
  const auto options = model.options();
  if (options.ranges != RangeMethod::kAuto) {
    report.plan = model.MakePlan();
    CBOARD_ASSIGN_OR_RETURN(report.quality, model.Measure(report.plan));
    return {};
  }
  std::size_t kept = 0;
  for (const RangeMethod method :
       {RangeMethod::kMse, RangeMethod::kMinMax, RangeMethod::kPercentile}) {
    const Plan plan = model.MakePlan(method);
    CBOARD_ASSIGN_OR_RETURN(const EndQuality quality, model.Measure(plan));
    report.tried.push_back({"ranges " + std::string(NameOf(method)), quality.MeanSqnrDb(), false});
    const bool is_first = report.tried.size() == 1;
    if (!is_first && quality.MeanSqnrDb() <= report.quality.MeanSqnrDb()) continue;
    report.plan = plan;
    report.quality = quality;
    kept = report.tried.size() - 1;
  }
  report.tried[kept].is_kept = true;
  return {};
}

}  // namespace

Result<QuantizeReport> QuantizeFile(const std::filesystem::path& model,
                                    const std::filesystem::path& output,
                                    const QuantizeOptions& options) {
  QuantizeReport report{.model = model, .output = output};
  CBOARD_ASSIGN_OR_RETURN(const auto quantizer, ModelQuantizer::Open(model, options));
  CBOARD_RETURN_IF_ERROR(quantizer->Calibrate());
  CBOARD_RETURN_IF_ERROR(ChooseMethod(*quantizer, report));
  CBOARD_ASSIGN_OR_RETURN(report.unfused, quantizer->FindUnfused(report.plan));
  CBOARD_ASSIGN_OR_RETURN(report.file, quantizer->Save(report.plan, output));
  report.samples = quantizer->statistics().samples;
  report.source = quantizer->statistics().source;
  report.is_generated = quantizer->statistics().is_generated;
  report.notes = quantizer->notes();
  return report;
}

}  // namespace cboard::quantize
