// Evaluates trials in the current process.
#include <chrono>
#include <cmath>

#include "cboard/base/durable_files.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/latency.h"
#include "cboard/benchmark/resources.h"
#include "cboard/tune/executor.h"
#include "tune/agreement.h"
#include "tune/state_directory.h"

namespace cboard::tune {
namespace {

constexpr double kMaxLatencySeconds = 10;

class LocalExecutor final : public TrialExecutor {
 public:
  LocalExecutor(std::filesystem::path baseline, Evaluation evaluation, MeasuredCosts costs,
                std::function<bool()> stop_requested)
      : baseline_(std::move(baseline)),
        evaluation_(std::move(evaluation)),
        costs_(costs),
        stop_requested_(std::move(stop_requested)) {}

  Result<std::vector<TrialResult>> Run(std::span<const TrialJob> jobs) override {
    std::vector<TrialResult> results;
    for (const TrialJob& job : jobs) {
      if (IsStopped()) return Stopped();
      CBOARD_ASSIGN_OR_RETURN(TrialResult result, RunOne(job));
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  bool IsStopped() const { return stop_requested_ && stop_requested_(); }
  static tl::unexpected<Error> Stopped() {
    return Fail(ErrorCode::kUnavailable, "the tuning was stopped by the user");
  }

  Result<TrialResult> RunOne(const TrialJob& job) {
    const auto begin = std::chrono::steady_clock::now();
    std::string said;
    Result<TrialResult> evaluated = Evaluate(job, said);
    if (IsStopped()) return Stopped();
    TrialResult result;
    if (evaluated) {
      result = *std::move(evaluated);
    } else {
      result.failure = evaluated.error().message;
    }
    if (result.accuracy && !std::isfinite(*result.accuracy)) {
      result.failure =
          "the evaluation returned " + ShortestDecimal(*result.accuracy) + ", which is no accuracy";
      result.accuracy.reset();
      result.metrics.clear();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    result.seconds = seconds.count();
    if (costs_.latency && !result.has_failed() && job.number != 0) {
      CBOARD_RETURN_IF_ERROR(MeasureSpeed(job, result));
    }
    if (costs_.energy && !result.has_failed()) {
      CBOARD_RETURN_IF_ERROR(MeasureEnergyOf(job, result));
    }
    std::string log = said;
    if (result.has_failed()) log += "failed: " + result.failure + "\n";
    for (const auto& [name, value] : result.metrics) {
      log += name + ": " + ShortestDecimal(value) + "\n";
    }
    CBOARD_RETURN_IF_ERROR(WriteFileDurably(job.directory / "log.txt", log));
    return result;
  }

  Result<TrialResult> Evaluate(const TrialJob& job, std::string& said) {
    if (evaluation_.function) return evaluation_.function(job.model);
    Metrics metrics;
    TrialResult result;
    const benchmark::EvaluationOptions& options = evaluation_.options;
    if (!options.command.empty()) {
      CBOARD_ASSIGN_OR_RETURN(
          metrics, benchmark::RunEvaluation(options.command, job.model, options.timeout_seconds,
                                            stop_requested_, &said));
    } else if (!options.metrics.empty()) {
      CBOARD_ASSIGN_OR_RETURN(metrics, EvaluateLabels(job));
    } else {
      if (!agreement_) {
        CBOARD_ASSIGN_OR_RETURN(
            agreement_, AgreementEvaluator::Open(baseline_, evaluation_.run, options.max_samples));
      }
      if (job.number == 0) {
        metrics = {{"agreement", 1.0}};
      } else {
        CBOARD_ASSIGN_OR_RETURN(const Agreement agreement,
                                agreement_->Evaluate(job.model, job.limit, stop_requested_));
        metrics = {{"agreement", agreement.agreement}, {"end_sqnr_db", agreement.end_sqnr_db}};
        if (agreement.is_partial) result.evaluated_samples = agreement.samples;
      }
    }
    const std::string key = evaluation_.MetricKey();
    const auto found = metrics.find(key);
    if (found == metrics.end()) {
      std::string names;
      for (const auto& [name, value] : metrics) names += (names.empty() ? "" : ", ") + name;
      return Fail(ErrorCode::kInvalidArgument, "the evaluation did not return the metric " +
                                                   Quoted(key) + "; it returned " + names +
                                                   "; choose one of them with --metric");
    }
    result.accuracy = found->second;
    result.metrics = std::move(metrics);
    return result;
  }

  Result<Metrics> EvaluateLabels(const TrialJob& job) {
    const runtime::SessionOptions options = benchmark::SessionOptionsOf(evaluation_.run);
    CBOARD_ASSIGN_OR_RETURN(const runtime::Session session,
                            runtime::Session::Open(job.model, options));
    std::optional<runtime::Session> baseline;
    if (job.number != 0) {
      CBOARD_ASSIGN_OR_RETURN(baseline, runtime::Session::Open(baseline_, options));
    }
    return benchmark::Evaluate(session, baseline ? &*baseline : &session, job.model,
                               evaluation_.run, evaluation_.options,
                               [&](double) { return !IsStopped(); });
  }

  Result<void> MeasureSpeed(const TrialJob& job, TrialResult& result) {
    CBOARD_ASSIGN_OR_RETURN(auto before,
                            benchmark::LoadedVariant::Open(baseline_, evaluation_.run));
    CBOARD_ASSIGN_OR_RETURN(auto after, benchmark::LoadedVariant::Open(job.model, evaluation_.run));
    const benchmark::LatencySubject subjects[] = {
        {"fp32", [&](std::size_t sample) { return before.RunOnce(sample); }},
        {"int8", [&](std::size_t sample) { return after.RunOnce(sample); }}};
    benchmark::LatencyOptions options;
    options.max_seconds = kMaxLatencySeconds;
    options.min_runs = 20;
    options.max_relative_width = 0.03;
    options.sample_count = std::min(before.sample_count(), after.sample_count());
    options.is_single_threaded = evaluation_.run.threads == 1;
    options.progress = [&](double) { return !IsStopped(); };
    const auto latency = benchmark::MeasureLatency(subjects, options);
    if (IsStopped()) return Stopped();
    if (!latency) return Fail(latency.error());
    result.speedup = latency->variants[1].speedup.ratio;
    result.latency_ms = latency->variants[1].mean_ms;
    return {};
  }

  Result<void> MeasureEnergyOf(const TrialJob& job, TrialResult& result) {
    CBOARD_ASSIGN_OR_RETURN(auto variant,
                            benchmark::LoadedVariant::Open(job.model, evaluation_.run));
    benchmark::EnergyOptions options;
    options.sys = evaluation_.sys;
    options.stop_requested = stop_requested_;
    CBOARD_ASSIGN_OR_RETURN(const benchmark::EnergyMeasurement energy,
                            benchmark::MeasureEnergy([&] { return variant.RunOnce(0); }, options));
    if (IsStopped()) return Stopped();
    if (!energy.cpu) {
      return Fail(ErrorCode::kFailedPrecondition,
                  "--objective energy cannot be measured: " + energy.why_not +
                      "; choose --objective latency");
    }
    result.energy_mj = energy.cpu->millijoules_per_run;
    return {};
  }

  std::filesystem::path baseline_;
  Evaluation evaluation_;
  MeasuredCosts costs_;
  std::function<bool()> stop_requested_;
  std::unique_ptr<AgreementEvaluator> agreement_;
};

}  // namespace

std::string Evaluation::MetricKey() const {
  if (function) return "accuracy";
  if (!options.command.empty()) {
    return options.metrics.empty() ? "accuracy" : options.metrics.front();
  }
  if (options.metrics.empty()) return "agreement";
  // Returns the key under which benchmark::Evaluate returns the first metric.
  const std::string& metric = options.metrics.front();
  if (metric == "top1") return "accuracy";
  if (metric == "top5") return "accuracy_top5";
  if (metric == "f1_macro") return "f1_score";
  return metric;
}

compression::Better Evaluation::better() const {
  const std::string key = MetricKey();
  for (const std::string_view lower : {"mse", "wer", "cer", "perplexity"}) {
    if (key == lower) return compression::Better::kLower;
  }
  const compression::Better known = compression::DescribeMetric(key).better;
  return known == compression::Better::kLower ? known : compression::Better::kHigher;
}

std::unique_ptr<TrialExecutor> MakeLocalExecutor(std::filesystem::path baseline,
                                                 Evaluation evaluation, MeasuredCosts costs,
                                                 std::function<bool()> stop_requested) {
  return std::make_unique<LocalExecutor>(std::move(baseline), std::move(evaluation), costs,
                                         std::move(stop_requested));
}

}  // namespace cboard::tune
