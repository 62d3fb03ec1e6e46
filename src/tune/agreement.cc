#include "tune/agreement.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cboard/compare/end_verdict.h"
#include "compare/measure/end_outputs.h"
#include "compare/verdict/evaluate_ends.h"

namespace cboard::tune {
namespace {

// Fewer decisions than this say little: a model that is broken may agree by chance.
constexpr std::size_t kMinDecisions = 32;

}  // namespace

Result<std::unique_ptr<AgreementEvaluator>> AgreementEvaluator::Open(
    const std::filesystem::path& baseline, const benchmark::RunOptions& run,
    std::size_t max_samples) {
  CBOARD_ASSIGN_OR_RETURN(model::ModelGraph graph, model::OpenModel(baseline));
  CBOARD_ASSIGN_OR_RETURN(const runtime::Session session, runtime::Session::Open(baseline));
  constexpr std::size_t kMaxRandomSamples = 64;
  CBOARD_ASSIGN_OR_RETURN(
      auto samples, benchmark::OpenRunSamples(baseline, session.inputs(), run,
                                              run.data.empty() ? kMaxRandomSamples : max_samples));
  return std::unique_ptr<AgreementEvaluator>(
      new AgreementEvaluator(baseline, std::move(graph), std::move(samples)));
}

Result<Metrics> AgreementEvaluator::Evaluate(const std::filesystem::path& model,
                                             const std::function<bool()>& stop_requested) const {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph variant, model::OpenModel(model));
  compare::EndGatherer gatherer(graph_, variant);
  // A size that both name once.
  const auto once = [](const std::vector<std::string>& names) {
    const std::set<std::string> unique(names.begin(), names.end());
    return std::vector<std::string>(unique.begin(), unique.end());
  };
  runtime::CaptureOptions options;
  options.session.optimize = true;
  options.session.threads = 1;
  options.tensors = once(gatherer.BaselineTensors());
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture baseline,
                          runtime::ModelCapture::Open(path_, options));
  options.tensors = once(gatherer.VariantTensors());
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture compressed,
                          runtime::ModelCapture::Open(model, options));
  const runtime::ModelCapture* const models[] = {&baseline, &compressed};
  CBOARD_ASSIGN_OR_RETURN(
      const runtime::CaptureSummary summary,
      runtime::CaptureSamples(
          *samples_, models,
          [&](const runtime::CapturedSample& sample) {
            return gatherer.Add([&](std::size_t side, const std::string& name) {
              return sample.results[side].Find(name);
            });
          },
          [&](std::size_t, std::size_t) { return !stop_requested || !stop_requested(); }));
  if (summary.is_stopped) return Fail(ErrorCode::kUnavailable, "the evaluation was interrupted");
  const compare::EndVerdict verdict = compare::EvaluateEnds(gatherer.Build(), summary.samples,
                                                            summary.is_generated, summary.source);
  double agreement = 1, sqnr_db = 200;
  bool is_measured = false;
  for (const compare::OutputVerdict& output : verdict.outputs) {
    for (const compare::HeadVerdict& head : output.heads) {
      if (head.level == compare::VerdictLevel::kNotMeasured) continue;
      is_measured = true;
      const double db = std::isnan(head.judged_sqnr_db) ? 200 : head.judged_sqnr_db;
      sqnr_db = std::min(sqnr_db, std::min(db, 200.0));
      const double similarity = std::max(0.0, 1 - std::pow(10.0, -db / 10));
      if (head.agreement) agreement = std::min(agreement, *head.agreement);
      if (!head.agreement || head.decisions < kMinDecisions) {
        agreement = std::min(agreement, similarity);
      }
    }
  }
  if (!is_measured) {
    return Fail(ErrorCode::kInvalidArgument,
                "no output of the model can be compared with the float model; give --labels and "
                "--metric, or --eval with a command of your own");
  }
  return Metrics{{"agreement", agreement}, {"end_sqnr_db", sqnr_db}};
}

}  // namespace cboard::tune
