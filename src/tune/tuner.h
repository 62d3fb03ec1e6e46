// One tuning: trials, the best model on disk, the decision what to try next.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/quantize/model_quantizer.h"
#include "cboard/tune/tune.h"
#include "tune/end_meter.h"
#include "tune/explanations.h"
#include "tune/operator_times.h"
#include "tune/progress_log.h"
#include "tune/state_directory.h"
#include "tune/trade_off.h"
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
  // Ranks error sources and computes the sets of changes to try.
  Result<void> Rank(bool has_narrow_weights);
  // Tries sets until the accuracy is met, then smaller ones.
  Result<void> SearchGoal();
  // A file smaller than 8 bits: the most accurate set that fits.
  Result<void> SearchWithinSize();
  // Spends the other evaluations on the trade-off curve: the most accurate model of the size of the
  // first one, and more accurate models that are larger.
  Result<void> SearchCurve();
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
  bool IsTried(const PlanChanges& changes) const;
  bool CanTryMore();
  // The price of changes in the unit of the objective, and the milliseconds that they add.
  double PriceOf(const PlanChanges& changes);
  std::optional<double> AddedMs(const PlanChanges& changes);
  std::uint64_t BytesWith(const PlanChanges& changes) const;
  std::string Contract() const;
  bool IsOutOfTime() const;
  double ElapsedSeconds() const;
  void Say(const std::string& line) const;
  void ShowProgress(std::string_view phase, std::string step, std::optional<int> trial = {});
  std::vector<PredictedPoint> PredictedPoints() const;
  Result<void> CheckStop(std::string_view step) const;

  TuneOptions options_;
  StateDirectory state_;
  compression::Better better_;
  std::unique_ptr<TrialExecutor> executor_;
  std::unique_ptr<quantize::ModelQuantizer> quantizer_;
  quantize::PlanChoice choice_;
  std::unique_ptr<EndMeter> meter_;
  std::vector<ErrorSource> sources_;
  std::unique_ptr<TradeOff> order_;
  std::vector<PlanChanges> changes_;  // Changes of each trial.
  OperatorTimes times_;
  OperatorTimes::Stored known_times_;
  std::unique_ptr<ProgressLog> progress_log_;
  std::size_t shown_measurements_ = 0;
  std::unique_ptr<Explanations> explanations_;
  std::unique_ptr<TrialEvents> events_;
  TuneReport report_;
  bool is_output_current_ = true;
  std::string stopped_;  // Why the search ended before its evaluations were used up.
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cboard::tune
