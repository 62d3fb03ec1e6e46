// One tuning: trials, the best model on disk, the decision what to try next.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/quantize/model_quantizer.h"
#include "cboard/tune/tune.h"
#include "tune/change_order.h"
#include "tune/end_meter.h"
#include "tune/explanations.h"
#include "tune/state_directory.h"
#include "tune/trial_events.h"

namespace cboard::tune {

// Not thread-safe. Results that the state directory has are not computed again, and everything else
// depends on settings and results only: an interrupted tuning gives the same models.
class Tuner {
 public:
  Tuner(const TuneOptions& options, StateDirectory state);

  // Fails when the model cannot be quantized at all, or a file cannot be written.
  Result<TuneReport> Run();

 private:
  Result<void> EvaluateBaseline();
  Result<void> Quantize();
  Result<void> Search();
  Result<void> SearchChanges();
  // Whether the goals are met after the trial. Nothing when the evaluation failed, twice.
  Result<std::optional<bool>> TryChanges(const PlanChanges& changes, const std::string& note);
  Result<const TrialReport*> RunTrial(const PlanChanges& changes, const std::string& note);
  Result<TrialResult> Execute(const TrialJob& job);
  Result<void> WriteOutput();
  Result<void> WriteUnmeasuredOutput();
  void ChooseBest();
  void Describe();
  void MarkPareto();
  bool Meets(const TrialResult& result) const;
  bool IsOutOfTime() const;
  void Say(const std::string& line) const;
  Result<void> CheckStop(std::string_view step) const;

  TuneOptions options_;
  StateDirectory state_;
  compression::Better better_;
  std::unique_ptr<TrialExecutor> executor_;
  std::unique_ptr<quantize::ModelQuantizer> quantizer_;
  quantize::PlanChoice choice_;
  std::unique_ptr<EndMeter> meter_;
  std::vector<ErrorSource> sources_;
  std::unique_ptr<ChangeOrder> order_;
  std::vector<PlanChanges> changes_;  // Changes of each trial.
  std::unique_ptr<Explanations> explanations_;
  std::unique_ptr<TrialEvents> events_;
  TuneReport report_;
  bool is_output_current_ = true;
  std::string stopped_;  // Why the search ended before its evaluations were used up.
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cboard::tune
