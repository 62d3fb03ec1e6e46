// Writes the reason for the result of a tuning, and the next step for the user.
#include <cmath>

#include "cboard/base/strings.h"
#include "tune/tuner.h"

namespace cboard::tune {
namespace {

std::string Rounded(double value) { return ShortestDecimal(std::round(value * 1e4) / 1e4); }

}  // namespace

void Tuner::Describe() {
  TuneReport& report = report_;
  if (!report.is_output_written) {
    report.reason =
        "stopped before the first trial ended, and no model was written; continue with --resume";
    return;
  }
  if (report.baseline.has_failed()) {
    report.reason =
        "the evaluation of the float model failed twice, so that no accuracy is known: " +
        report.baseline.failure;
    report.next_step =
        "correct the evaluation and run it on the float model; the output is the default "
        "quantization, and its accuracy was not measured";
    return;
  }
  if (!report.best) {
    report.reason = stopped_.empty() ? "no trial has ended" : stopped_;
    if (!report.trials.empty()) report.reason += ": " + report.trials.back().result.failure;
    report.next_step =
        "correct the evaluation; the output is the default quantization, and its accuracy was not "
        "measured";
    return;
  }
  const TrialReport& best = report.trials[*report.best];
  report.is_met = best.is_met;
  const std::size_t unused =
      options_.max_evaluations - std::min(options_.max_evaluations, report.evaluations);
  if (unused > 0) {
    std::string why = stopped_.empty() ? unused_ : stopped_;
    if (why.empty() && sources_.empty()) why = "nothing is quantized";
    if (why.empty() && report.is_met) {
      why = options_.stops_at_goal ? "--stop-at-goal ends the search at the first model that meets "
                                     "the goals"
                                   : "no smaller model is left to try";
    }
    if (stopped_.empty() && !report.is_met) stopped_ = why;
    if (!why.empty()) {
      report.notes.push_back(std::to_string(unused) + " of " +
                             std::to_string(options_.max_evaluations) +
                             " evaluations were not used: " + why);
    }
  }
  if (sources_.empty()) report.notes.emplace_back(quantize::kNothingQuantized);
  const std::string accuracy = report.metric + " is " + Rounded(*best.result.accuracy) +
                               " (baseline " + Rounded(*report.baseline.accuracy) + ", limit " +
                               Rounded(report.limit) + ")";
  const double share = 100.0 * static_cast<double>(best.result.size_bytes) /
                       static_cast<double>(std::max<std::uint64_t>(1, report.baseline.size_bytes));
  const std::string size = HumanBytes(static_cast<double>(best.result.size_bytes)) + ", " +
                           Rounded(std::round(share * 10) / 10) + " % of the baseline";
  if (best.result.size_bytes > report.baseline.size_bytes) {
    report.notes.push_back(
        "the output is larger than the baseline: the quantizers of this small network need more "
        "bytes than its weights save; --max-size 100% makes the size a goal");
  }
  if (report.is_met) {
    report.reason = accuracy + "; " + size;
    return;
  }
  const Goals& goals = options_.goals;
  report.reason = accuracy + "; " + size;
  const bool is_accurate = IsAsGood(*best.result.accuracy, report.limit, better_);
  if (is_accurate && goals.max_size_bytes && best.result.size_bytes > *goals.max_size_bytes) {
    report.reason += "; the goal is " + HumanBytes(static_cast<double>(*goals.max_size_bytes));
    if (!stopped_.empty()) report.reason += "; " + stopped_;
    report.next_step = "raise --max-size to " +
                       HumanBytes(static_cast<double>(best.result.size_bytes)) +
                       ", or choose a smaller network";
    return;
  }
  if (is_accurate && goals.min_speedup) {
    report.reason += "; the speedup is " + Rounded(best.result.speedup.value_or(0)) +
                     ", and the goal is " + Rounded(*goals.min_speedup);
    report.next_step =
        "'compression-board benchmark' with both files says why the model is not faster";
    return;
  }
  if (!stopped_.empty()) report.reason += "; " + stopped_;
  if (goals.max_size_bytes && best.result.size_bytes > *goals.max_size_bytes) {
    report.next_step = "raise --max-size to " +
                       HumanBytes(static_cast<double>(best.result.size_bytes)) + " or more";
    return;
  }
  const double seconds = best.result.seconds;
  if (order_ && report.evaluations >= options_.max_evaluations && stopped_.empty()) {
    report.next_step = "--max-evals " + std::to_string(options_.max_evaluations + 3) +
                       " --resume tries more: 3 evaluations of about " + Rounded(seconds) + " s";
  } else if (goals.max_size_bytes) {
    report.next_step = "raise --max-size: each operator in float needs the bytes of its weights";
  } else if (!stopped_.empty() && stopped_.find("--resume") == stopped_.npos) {
    report.next_step = "give a larger --max-drop, or more samples for calibration with --data";
  }
}

}  // namespace cboard::tune
