#include "tune/agreement.h"

#include <algorithm>
#include <cmath>

#include "cboard/compare/end_verdict.h"
#include "compare/measure/end_outputs.h"
#include "compare/verdict/answer_agreement.h"
#include "compare/verdict/evaluate_ends.h"

namespace cboard::tune {
namespace {

// Minimum number of decisions; with fewer, even a broken model may agree by chance. Decisions for
// the most frequent class of the float model do not count, because a model that always gives this
// class would agree, too.
constexpr std::size_t kMinDecisions = 32;

// Returns the upper limit of the true agreement if `share` of `count` samples agree (Wilson, 99.9 %
// confidence).
double UpperBound(double share, double count) {
  constexpr double z = 3.09;
  const double center = share + z * z / (2 * count);
  const double width = z * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count));
  return (center + width) / (1 + z * z / count);
}

struct HeadAgreement {
  Agreement agreement;
  bool is_measured = false;
  bool is_counted = false;  // The lowest agreement is a share of decisions.
};

HeadAgreement AgreementOfHeads(const std::vector<compare::EndFindings>& ends, std::size_t samples,
                               bool is_generated, const std::string& source) {
  HeadAgreement evaluation;
  evaluation.agreement.samples = samples;
  const compare::EndVerdict verdict = compare::EvaluateEnds(ends, samples, is_generated, source);
  for (std::size_t i = 0; i < verdict.outputs.size(); ++i) {
    const compare::OutputVerdict& output = verdict.outputs[i];
    for (std::size_t h = 0; h < output.heads.size(); ++h) {
      const compare::HeadVerdict& head = output.heads[h];
      if (head.level == compare::VerdictLevel::kNotMeasured) continue;
      evaluation.is_measured = true;
      double& smallest = evaluation.agreement.agreement;
      const double db = std::isnan(head.judged_sqnr_db) ? 200 : head.judged_sqnr_db;
      evaluation.agreement.end_sqnr_db = std::min({evaluation.agreement.end_sqnr_db, db, 200.0});
      double share = head.agreement.value_or(1);
      std::size_t decisions = head.decisions;
      const bool is_class =
          head.use == compare::HeadUse::kArgMax || head.use == compare::HeadUse::kLogits;
      // Skips random samples: their classes are often ties, which any rounding changes.
      if (head.agreement && is_class && !is_generated && i < ends.size() &&
          h < ends[i].heads.size() && ends[i].heads[h].positions > 0) {
        const compare::HeadCounts& counts = ends[i].heads[h];
        double most = 0;
        for (const auto& [channel, answers] : counts.answers) {
          most = std::max(most, answers.baseline);
        }
        decisions =
            std::min(decisions,
                     static_cast<std::size_t>(static_cast<double>(counts.clear_positions) - most));
        share = std::min(
            {share, compare::ExpectedAgreement(counts),
             static_cast<double>(counts.same_positions) / static_cast<double>(counts.positions)});
      }
      if (share < smallest) {
        smallest = share;
        evaluation.is_counted = true;
      }
      const double similarity = std::max(0.0, 1 - std::pow(10.0, -db / 10));
      if ((!head.agreement || decisions < kMinDecisions) && similarity < smallest) {
        smallest = similarity;
        evaluation.is_counted = false;
      }
    }
  }
  return evaluation;
}

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

Result<Agreement> AgreementEvaluator::Evaluate(const std::filesystem::path& model,
                                               std::optional<double> limit,
                                               const std::function<bool()>& stop_requested) const {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph variant, model::OpenModel(model));
  compare::EndGatherer gatherer(graph_, variant);
  runtime::CaptureOptions options;
  options.session.optimize = true;
  options.session.threads = 1;
  options.tensors = gatherer.BaselineTensors();
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture baseline,
                          runtime::ModelCapture::Open(path_, options));
  options.tensors = gatherer.VariantTensors();
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture compressed,
                          runtime::ModelCapture::Open(model, options));
  const runtime::ModelCapture* const models[] = {&baseline, &compressed};
  constexpr std::size_t kSamplesPerLook = 32;
  std::size_t done = 0;
  std::optional<Agreement> early;
  bool is_stopped = false;
  CBOARD_ASSIGN_OR_RETURN(
      const runtime::CaptureSummary summary,
      runtime::CaptureSamples(
          *samples_, models,
          [&](const runtime::CapturedSample& sample) {
            ++done;
            return gatherer.Add(compare::FindIn(sample));
          },
          [&](std::size_t, std::size_t) {
            is_stopped = stop_requested && stop_requested();
            if (is_stopped || !limit || done == 0 || done % kSamplesPerLook != 0) {
              return !is_stopped;
            }
            const HeadAgreement evaluation =
                AgreementOfHeads(gatherer.Build(), done, samples_->is_generated(), "");
            if (!evaluation.is_counted ||
                UpperBound(evaluation.agreement.agreement, static_cast<double>(done)) >= *limit) {
              return true;
            }
            early = evaluation.agreement;
            return false;
          }));
  if (is_stopped)
    return Fail(ErrorCode::kUnavailable, "the evaluation was interrupted; there are no results");
  if (early && done < samples_->size()) {
    early->is_partial = true;
    return *early;
  }
  const HeadAgreement evaluation =
      AgreementOfHeads(gatherer.Build(), summary.samples, summary.is_generated, summary.source);
  if (!evaluation.is_measured) {
    return Fail(ErrorCode::kInvalidArgument,
                "no output of the model can be compared with the float model; give --labels and "
                "--metric, or --eval with a command of your own");
  }
  return evaluation.agreement;
}

}  // namespace cboard::tune
