// The decision what to try next.
#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "tune/tuner.h"

namespace cboard::tune {
namespace {

// Evaluations that a goal which is met already may cost, to find a smaller model.
constexpr std::size_t kMaxRefinements = 2;

std::string CountText(const PlanChanges& changes) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            std::string(count == 1 ? one : many);
  };
  add(changes.float_nodes.size(), "operator in float", "operators in float");
  add(changes.wide_tensors.size(), "tensor in 16 bits", "tensors in 16 bits");
  return text.empty() ? "everything in 8 bits" : text;
}

}  // namespace

Result<std::optional<bool>> Tuner::TryChanges(const PlanChanges& changes, const std::string& note) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (report_.evaluations >= options_.max_evaluations) break;
    CBOARD_ASSIGN_OR_RETURN(const TrialReport* const trial,
                            RunTrial(changes, attempt == 0 ? note : note + ", second attempt"));
    if (!trial->result.has_failed()) {
      return std::optional<bool>(IsAsGood(*trial->result.accuracy, report_.limit, better_));
    }
  }
  return std::optional<bool>();
}

Result<void> Tuner::Search() {
  CBOARD_ASSIGN_OR_RETURN(const auto is_met, TryChanges({}, CountText({})));
  if (!is_met) {
    stopped_ = "the evaluation of the first quantized model failed twice";
    return WriteUnmeasuredOutput();
  }
  if (*is_met || sources_.empty()) return {};
  CBOARD_RETURN_IF_ERROR(CheckStop("ranking operators"));
  CBOARD_ASSIGN_OR_RETURN(std::vector<RankedItem> items, RankSources(*meter_, sources_));
  const bool has_16_bits = choice_.plan.target != quantize::Target::kTensorRt;
  order_ = std::make_unique<ChangeOrder>(*meter_, sources_, std::move(items), options_.objective,
                                         has_16_bits);
  return SearchChanges();
}

Result<void> Tuner::SearchChanges() {
  const TrialReport first = report_.trials.back();
  std::size_t end = order_->size();
  // Without any weight in 8 bits there is nothing left of the compression.
  const auto baseline_bytes = static_cast<std::int64_t>(report_.baseline.size_bytes);
  const auto max_bytes = static_cast<std::int64_t>(
      options_.goals.max_size_bytes.value_or(report_.baseline.size_bytes * 95 / 100));
  end = std::min(end, order_->CountWithin(std::min(max_bytes, baseline_bytes) -
                                          static_cast<std::int64_t>(first.result.size_bytes)));
  if (end == 0) {
    stopped_ = "every change makes the file larger than the goal allows";
    return {};
  }
  std::size_t low = 0;              // Misses the accuracy.
  std::optional<std::size_t> high;  // Meets it.
  double low_noise = std::pow(10.0, -first.end_sqnr_db / 10);
  double low_drop = std::abs(*first.result.accuracy - *report_.baseline.accuracy);
  const double max_drop = std::abs(report_.limit - *report_.baseline.accuracy);
  std::size_t refinements = 0;
  while (report_.evaluations < options_.max_evaluations) {
    if (IsOutOfTime()) {
      stopped_ = "the time is over";
      break;
    }
    std::size_t count = end;
    if (high) {
      const bool saves = order_->AddedBytes(*high) > order_->AddedBytes(low) ||
                         options_.objective == Objective::kLatency;
      if (*high - low < 2 || !saves || refinements == kMaxRefinements) break;
      ++refinements;
      CBOARD_ASSIGN_OR_RETURN(const double high_noise, order_->Noise(*high));
      CBOARD_ASSIGN_OR_RETURN(
          count, order_->CountFor(std::sqrt(low_noise * std::max(high_noise, 1e-12)), low, *high));
      count = std::clamp(count, low + 1, *high - 1);
    } else if (low == end) {
      stopped_ = "all changes within the size were tried";
      break;
    } else if (report_.evaluations + 1 < options_.max_evaluations) {
      // The last evaluation tries all changes: the most accurate model that this search can make.
      CBOARD_ASSIGN_OR_RETURN(
          count, order_->CountFor(NoiseForDrop(low_noise, low_drop, max_drop), low, end));
    }
    const PlanChanges changes = order_->First(count);
    CBOARD_ASSIGN_OR_RETURN(const auto is_met, TryChanges(changes, CountText(changes)));
    if (!is_met) {
      stopped_ = "an evaluation failed twice";
      break;
    }
    if (*is_met) {
      high = count;
      continue;
    }
    low = count;
    low_noise = std::pow(10.0, -report_.trials.back().end_sqnr_db / 10);
    low_drop = std::abs(*report_.trials.back().result.accuracy - *report_.baseline.accuracy);
  }
  return {};
}

}  // namespace cboard::tune
