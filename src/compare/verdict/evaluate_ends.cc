#include "compare/verdict/evaluate_ends.h"

#include <algorithm>
#include <limits>

#include "cboard/verdict/number_text.h"
#include "compare/verdict/evaluate_head.h"
#include "compare/verdict/verdict_sentence.h"

namespace cboard::compare {
namespace {

bool HasScores(const EndFindings& end) {
  return !end.heads.empty() && std::ranges::all_of(end.heads, &HeadCounts::MayBeScores);
}

OutputVerdict EvaluateOutput(const EndFindings& end, bool is_beside_scores, bool is_generated,
                             const EndLimits& limits) {
  OutputVerdict output{.name = end.name, .shape = end.shape};
  output.sqnr_db = std::numeric_limits<double>::quiet_NaN();
  if (end.layout && end.layout->axis < end.shape.size()) {
    output.axis = end.layout->axis;
    output.channel_count = static_cast<std::size_t>(end.shape[end.layout->axis]);
  }
  output.why_not = end.why_not;
  if (end.labels > 0 || end.sequences.ReadAsText(end.label_count)) {
    output.heads.push_back(EvaluateLabels(end, limits));
  } else if (end.comparison.total.count > 0) {
    output.sqnr_db = end.comparison.total.SqnrDb();
    for (const HeadCounts& counts : end.heads) {
      output.heads.push_back(EvaluateHead(end, counts, is_beside_scores, is_generated, limits));
    }
  } else if (output.why_not.empty()) {
    output.why_not = end.other_shapes > 0
                         ? "its shapes differ between the two models, as after NonMaxSuppression"
                         : "it has no values";
  }
  // A state is an input of later runs, which are not measured. So only a lost state counts.
  output.is_state = end.is_state;
  if (output.is_state) {
    for (HeadVerdict& head : output.heads) {
      const bool is_kept = head.level > VerdictLevel::kSound && !head.is_collapsed &&
                           head.judged_sqnr_db >= limits.broken_db;
      if (!is_kept) continue;
      head.level = VerdictLevel::kSound;
      head.reason =
          "SQNR " + verdict::DbText(head.judged_sqnr_db) + ", enough for the state of later runs";
    }
  }
  for (const HeadVerdict& head : output.heads) output.level = std::max(output.level, head.level);
  return output;
}

bool HasUnmeasuredScores(const OutputVerdict& output) {
  return std::ranges::any_of(output.heads, [](const HeadVerdict& head) {
    return head.use == HeadUse::kScores && head.level == VerdictLevel::kNotMeasured;
  });
}

}  // namespace

EndVerdict EvaluateEnds(const std::vector<EndFindings>& ends, std::size_t samples,
                        bool is_generated, const std::string& source, const EndLimits& limits) {
  EndVerdict verdict{.samples = samples, .is_generated = is_generated};
  for (const EndFindings& end : ends) {
    const bool is_beside_scores = std::ranges::any_of(
        ends, [&](const EndFindings& other) { return &other != &end && HasScores(other); });
    verdict.outputs.push_back(EvaluateOutput(end, is_beside_scores, is_generated, limits));
    verdict.level = std::max(verdict.level, verdict.outputs.back().level);
  }
  // If no score reaches a threshold, there were no detections to measure, even if the boxes are
  // exact.
  const bool is_partly_sound = verdict.level == VerdictLevel::kSound &&
                               std::ranges::any_of(verdict.outputs, HasUnmeasuredScores);
  if (is_partly_sound) verdict.level = VerdictLevel::kNotMeasured;
  AddSentence(source, verdict);
  return verdict;
}

}  // namespace cboard::compare
