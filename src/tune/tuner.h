// Runs one tuning: tries sets of changes, keeps the best model on disk, and decides what to try
// next.
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

// Returns a text such as "1 operator in float, 2 tensors in 16 bits".
std::string CountText(const PlanChanges& changes);

// Not thread-safe. Results in the state directory are not computed again. All decisions depend only
// on settings and results, so an interrupted and resumed tuning gives the same models.
class Tuner {
 public:
  Tuner(const TuneOptions& options, StateDirectory state);

  // Runs the tuning. Fails if the model cannot be quantized or a file cannot be written.
  Result<TuneReport> Run();

 private:
  Result<void> EvaluateBaseline();
  Result<void> Quantize();
  Result<void> Search();
  // Ranks the sources of error and computes the sets of changes to try.
  Result<void> Rank(bool has_narrow_weights);
  // Tries sets until one meets the accuracy, then smaller sets.
  Result<void> SearchGoal();
  // For goals below the size of an 8-bit model: finds the most accurate set within this size.
  Result<void> SearchWithinSize();
  // Uses the remaining evaluations for sets of changes that are predicted to have much less noise
  // than other models of the same size.
  Result<void> SearchCurve();
  struct Candidate {
    PlanChanges changes;
    std::uint64_t bytes = 0;
    double noise = 0;
  };
  Result<std::vector<Candidate>> FindCandidates();
  double GainOf(const Candidate& candidate) const;
  // Runs a trial. Returns true if it meets the goals; nullopt if the evaluation failed twice.
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
  // Returns true if a model of `bytes` with these changes is within the limits of size and speed.
  bool IsAllowed(std::int64_t bytes, const PlanChanges& changes);
  // Return the price of changes in the unit of the objective, and the milliseconds by which they
  // slow down the model.
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
  std::vector<PlanChanges> changes_;  // The changes of each trial.
  OperatorTimes times_;
  OperatorTimes::Stored known_times_;
  std::unique_ptr<ProgressLog> progress_log_;
  std::size_t shown_measurements_ = 0;
  std::unique_ptr<Explanations> explanations_;
  std::unique_ptr<TrialEvents> events_;
  TuneReport report_;
  bool is_output_current_ = true;
  std::string stopped_;  // Why the search ended before its evaluations were used up.
  std::string unused_;   // Why not all evaluations were used for the trade-off curve.
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cboard::tune
