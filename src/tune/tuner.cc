#include "tune/tuner.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "cboard/base/durable_files.h"
#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"

namespace cboard::tune {
namespace {

std::uint64_t SizeOfModel(const std::filesystem::path& model) {
  std::error_code error;
  std::uint64_t bytes = std::filesystem::file_size(model, error);
  if (error) return 0;
  const std::filesystem::path data = model.string() + ".data";
  const std::uint64_t more = std::filesystem::file_size(data, error);
  if (!error) bytes += more;
  return bytes;
}

std::string Number(double value) { return ShortestDecimal(std::round(value * 1e4) / 1e4); }

}  // namespace

Tuner::Tuner(const TuneOptions& options, StateDirectory state)
    : options_(options), state_(std::move(state)), better_(options.evaluation.better()) {
  progress_log_ = std::make_unique<ProgressLog>(options_.logdir, state_.path());
  options_.progress = [this, asked = options.progress](std::string_view step) {
    return (!asked || asked(step)) && !progress_log_->IsStopRequested();
  };
  const auto stop = [this] { return !options_.progress("evaluating"); };
  const MeasuredCosts costs{.latency = options_.objective == Objective::kLatency ||
                                       options_.goals.min_speedup.has_value(),
                            .energy = options_.objective == Objective::kEnergy};
  executor_ = MakeLocalExecutor(options_.model, options_.evaluation, costs, stop);
  events_ =
      std::make_unique<TrialEvents>(options_.logdir, options_.evaluation.run, options_.is_resumed);
  report_.model = options_.model;
  report_.output = options_.output;
  report_.state = state_.path();
  report_.metric = options_.evaluation.MetricKey();
}

void Tuner::Say(const std::string& line) const {
  if (options_.on_line) options_.on_line(line);
}

// Logs the progress. An error is not fatal: the tuning continues without this log.
void Tuner::ShowProgress(std::string_view phase, std::string step, std::optional<int> trial) {
  if (options_.logdir.empty()) return;
  ProgressState state{.phase = std::string(phase), .step = std::move(step), .trial = trial};
  state.can_stop = phase != "finished" && phase != "stopped" && phase != "failed";
  state.elapsed_seconds = std::round(ElapsedSeconds() * 100) / 100;
  if (meter_) report_.measurements = meter_->measured_count();
  if (report_.baseline.accuracy) {
    double seconds = report_.baseline.seconds;
    for (const TrialReport& each : report_.trials) seconds += each.result.seconds;
    seconds /= 1.0 + static_cast<double>(report_.trials.size());
    const auto left =
        static_cast<double>(options_.max_evaluations) - static_cast<double>(report_.evaluations);
    state.left_seconds = std::max(left, 0.0) * seconds;
    if (options_.max_seconds > 0) {
      state.left_seconds =
          std::clamp(options_.max_seconds - ElapsedSeconds(), 0.0, *state.left_seconds);
    }
  }
  if (!state.can_stop) state.left_seconds = 0;
  state.predicted = PredictedPoints();
  MarkPareto();
  if (const auto written = progress_log_->Write(ToJson(state, report_, options_)); !written) {
    report_.notes.push_back("the progress is not logged: " + written.error().message);
  }
}

std::vector<PredictedPoint> Tuner::PredictedPoints() const {
  std::vector<PredictedPoint> points;
  if (!meter_ || report_.trials.empty()) return points;
  const std::int64_t first = static_cast<std::int64_t>(report_.trials[0].result.size_bytes) -
                             AddedBytes(choice_.plan, changes_[0]);
  meter_->ForEach([&](const PlanChanges& changes, double noise) {
    points.push_back({.size_bytes = first + AddedBytes(choice_.plan, changes),
                      .end_sqnr_db = std::round(DbOf(noise) * 100) / 100,
                      .float_count = changes.float_nodes.size(),
                      .wide_count = changes.wide_tensors.size(),
                      .narrow_count = changes.narrow_nodes.size()});
  });
  std::ranges::stable_sort(points, [](const PredictedPoint& a, const PredictedPoint& b) {
    if (a.size_bytes != b.size_bytes) return a.size_bytes < b.size_bytes;
    return a.end_sqnr_db > b.end_sqnr_db;
  });
  std::vector<PredictedPoint> front;
  for (const PredictedPoint& point : points) {
    if (front.empty() || point.end_sqnr_db > front.back().end_sqnr_db) front.push_back(point);
  }
  return front;
}

Result<void> Tuner::CheckStop(std::string_view step) const {
  if (options_.progress(step)) return {};
  return Fail(ErrorCode::kUnavailable, "the tuning was stopped by the user");
}

double Tuner::ElapsedSeconds() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  return elapsed.count();
}

bool Tuner::IsOutOfTime() const {
  // The next evaluation is expected to take as long as the baseline's.
  return options_.max_seconds > 0 &&
         ElapsedSeconds() + report_.baseline.seconds > options_.max_seconds;
}

Result<TuneReport> Tuner::Run() {
  const auto work = [&]() -> Result<void> {
    CBOARD_RETURN_IF_ERROR(Quantize());
    CBOARD_RETURN_IF_ERROR(EvaluateBaseline());
    if (report_.baseline.has_failed()) return WriteUnmeasuredOutput();
    return Search();
  };
  Result<void> done = work();
  const bool is_stopped =
      !done && done.error().code == ErrorCode::kUnavailable && !options_.progress("stopping");
  if (!done && !is_stopped) {
    report_.reason = done.error().message;
    ShowProgress("failed", "");
    return Fail(std::move(done).error());
  }
  if (is_stopped) {
    stopped_ = "the tuning was stopped by the user; continue it with --resume";
    events_->Discard();
    progress_log_->RemoveStopRequests();
  }
  if (quantizer_)
    report_.notes.insert(report_.notes.end(), quantizer_->notes().begin(),
                         quantizer_->notes().end());
  MarkPareto();
  CBOARD_RETURN_IF_ERROR(WriteOutput());
  if (report_.best && explanations_ && !is_stopped) {
    ShowProgress("explaining", "explaining the result");
    CBOARD_ASSIGN_OR_RETURN(report_.reverted,
                            explanations_->Of(changes_[*report_.best], *meter_, sources_));
    report_.trials[*report_.best].reverted = report_.reverted;
  }
  if (meter_) report_.measurements = meter_->measured_count();
  Describe();
  report_.contract = Contract();
  if (!report_.contract.empty()) {
    CBOARD_RETURN_IF_ERROR(WriteFileDurably(state_.path() / "contract.yaml", report_.contract));
  }
  if (!is_stopped) CBOARD_RETURN_IF_ERROR(state_.StoreReport(ToJson(report_)));
  ShowProgress(is_stopped ? "stopped" : "finished", "");
  return report_;
}

Result<void> Tuner::Quantize() {
  CBOARD_RETURN_IF_ERROR(CheckStop("calibrating"));
  // The search decides which operators stay in float, so the quantizer must not do it.
  quantize::QuantizeOptions settings = options_.quantize;
  settings.repair = false;
  CBOARD_ASSIGN_OR_RETURN(quantizer_, quantize::ModelQuantizer::Open(options_.model, settings));
  CBOARD_ASSIGN_OR_RETURN(const auto baseline, state_.ReadResult(0));
  if (!baseline) CBOARD_RETURN_IF_ERROR(events_->Start({}));
  ShowProgress("calibrating", "calibrating");
  CBOARD_RETURN_IF_ERROR(quantizer_->Calibrate());
  CBOARD_RETURN_IF_ERROR(CheckStop("choosing ranges"));
  CBOARD_ASSIGN_OR_RETURN(choice_, quantize::ChoosePlan(*quantizer_));
  CBOARD_ASSIGN_OR_RETURN(auto known, state_.ReadMeasurements());
  // The file of measurements also contains times of operators, which have the prefix "us:".
  constexpr std::string_view kTime = "us:";
  for (auto entry = known.begin(); entry != known.end();) {
    if (!entry->first.starts_with(kTime)) {
      ++entry;
      continue;
    }
    known_times_.emplace(entry->first.substr(kTime.size()), entry->second);
    entry = known.erase(entry);
  }
  meter_ = std::make_unique<EndMeter>(
      *quantizer_, choice_.plan, std::move(known),
      [this](const std::string& key, double noise) { return state_.AddMeasurement(key, noise); });
  meter_->StopWhen([this] {
    constexpr std::size_t kMeasurementsPerValue = 10;
    if (meter_->measured_count() >= shown_measurements_ + kMeasurementsPerValue) {
      shown_measurements_ = meter_->measured_count();
      ShowProgress("ranking", "ranking operators");
    }
    return !options_.progress("ranking operators");
  });
  sources_ = FindErrorSources(choice_.plan);
  return {};
}

Result<TrialResult> Tuner::Execute(const TrialJob& job) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<TrialResult> results, executor_->Run({&job, 1}));
  results[0].size_bytes = SizeOfModel(job.model);
  return std::move(results[0]);
}

Result<void> Tuner::EvaluateBaseline() {
  CBOARD_RETURN_IF_ERROR(CheckStop("evaluating the baseline"));
  ShowProgress("evaluating", "evaluating the baseline", 0);
  CBOARD_ASSIGN_OR_RETURN(auto known, state_.ReadResult(0));
  const TrialJob job{0, state_.TrialPath(0), options_.model};
  if (known) {
    report_.baseline = *std::move(known);
  } else {
    CBOARD_RETURN_IF_ERROR(CreateDirectories(job.directory));
    CBOARD_ASSIGN_OR_RETURN(report_.baseline, Execute(job));
    // Tries the baseline a second time, because without its accuracy nothing can be compared.
    if (report_.baseline.has_failed()) {
      CBOARD_ASSIGN_OR_RETURN(report_.baseline, Execute(job));
    }
  }
  if (!report_.baseline.has_failed()) {
    report_.limit = options_.goals.max_drop.Limit(*report_.baseline.accuracy, better_);
    // Estimates the duration of the search: measures one set without labels, and assumes at most
    // this number of such measurements.
    constexpr double kMaxMeasurements = 140;
    const double begin = ElapsedSeconds();
    CBOARD_RETURN_IF_ERROR(meter_->Noise({}));
    const double measuring = (ElapsedSeconds() - begin) *
                             std::min(kMaxMeasurements, 3.0 * static_cast<double>(sources_.size()));
    const double seconds =
        measuring + report_.baseline.seconds * static_cast<double>(options_.max_evaluations);
    Say("baseline: " + report_.metric + " " + Number(*report_.baseline.accuracy) + ", " +
        HumanBytes(static_cast<double>(report_.baseline.size_bytes)) +
        "; goal: " + Number(report_.limit) + " or " +
        (better_ == compression::Better::kLower ? "less" : "more"));
    Say("at most " + std::to_string(options_.max_evaluations) + " evaluations, about " +
        Number(std::ceil(seconds)) + " s");
  }
  if (known) {
    events_->Skip(report_.baseline);
    return {};
  }
  CBOARD_RETURN_IF_ERROR(events_->Finish(options_.model, report_.baseline));
  return state_.StoreResult(0, report_.baseline);
}

bool Tuner::Meets(const TrialResult& result) const {
  const Goals& goals = options_.goals;
  return result.accuracy && IsAsGood(*result.accuracy, report_.limit, better_) &&
         (!goals.max_size_bytes || result.size_bytes <= *goals.max_size_bytes) &&
         (!goals.min_speedup || result.speedup.value_or(0) >= *goals.min_speedup);
}

Result<const TrialReport*> Tuner::RunTrial(const PlanChanges& changes, const std::string& note) {
  TrialReport trial{.number = static_cast<int>(report_.trials.size()) + 1, .note = note};
  const std::filesystem::path directory = state_.TrialPath(trial.number);
  trial.model = directory / "model.onnx";
  CBOARD_ASSIGN_OR_RETURN(const double noise, meter_->Noise(changes));
  trial.end_sqnr_db = DbOf(noise);
  for (const std::string& node : changes.float_nodes) {
    trial.float_nodes.push_back(choice_.plan.nodes.at(node).node);
  }
  trial.wide_tensors.assign(changes.wide_tensors.begin(), changes.wide_tensors.end());
  for (const std::string& node : changes.narrow_nodes) {
    trial.narrow_nodes.push_back(choice_.plan.nodes.at(node).node);
  }
  CBOARD_ASSIGN_OR_RETURN(auto known, state_.ReadResult(trial.number));
  JsonWriter settings;
  settings.BeginObject().Key("keep_float").BeginArray();
  for (const std::string& node : trial.float_nodes) settings.Value(node);
  settings.EndArray().Key("16_bits").BeginArray();
  for (const std::string& tensor : trial.wide_tensors) settings.Value(tensor);
  settings.EndArray().Key("4_bits").BeginArray();
  for (const std::string& node : trial.narrow_nodes) settings.Value(node);
  settings.EndArray().Key("end_sqnr_db").Value(trial.end_sqnr_db);
  settings.Key("note").Value(note).EndObject();
  // A resumed tuning with another number of evaluations may try other changes in this trial. Then
  // the stored result is not used.
  const bool is_other = known && ReadFile(directory / "settings.json") != settings.text();
  if (is_other) known.reset();
  const bool is_known = known.has_value();
  if (is_known) {
    trial.result = *std::move(known);
    trial.log = events_->Skip(trial.result);
  } else {
    const std::string step = "trial " + std::to_string(trial.number);
    if (!options_.logdir.empty() && explanations_) {
      CBOARD_ASSIGN_OR_RETURN(trial.reverted, explanations_->Of(changes, *meter_, sources_));
    }
    ShowProgress("evaluating", step, trial.number);
    CBOARD_RETURN_IF_ERROR(WriteOutput());
    CBOARD_RETURN_IF_ERROR(CheckStop(step));
    CBOARD_RETURN_IF_ERROR(CreateDirectories(directory));
    std::error_code ignored;
    std::filesystem::remove(directory / "result.json", ignored);
    CBOARD_RETURN_IF_ERROR(WriteFileDurably(directory / "settings.json", settings.text()));
    CBOARD_RETURN_IF_ERROR(quantizer_->Save(meter_->PlanWith(changes), trial.model));
    trial.result.size_bytes = SizeOfModel(trial.model);
    CBOARD_RETURN_IF_ERROR(events_->Start(SettingsOf(trial, trial.reverted)));
    // An evaluation that stops early at the limit is not a valid point of the trade-off curve.
    TrialJob job{trial.number, directory, trial.model};
    if (options_.stops_at_goal) job.limit = report_.limit;
    CBOARD_ASSIGN_OR_RETURN(trial.result, Execute(job));
    CBOARD_ASSIGN_OR_RETURN(trial.log, events_->Finish(trial.model, trial.result));
  }
  trial.is_met = Meets(trial.result);
  if (!explanations_) {
    times_ = OperatorTimes(options_.model, trial.model, options_.evaluation.run, known_times_,
                           [this](const std::string& node, double us) {
                             return state_.AddMeasurement("us:" + node, us);
                           });
    explanations_ = std::make_unique<Explanations>(
        options_.model, trial.model, options_.evaluation.run, times_, options_.explains);
  }
  report_.trials.push_back(trial);
  changes_.push_back(changes);
  ++report_.evaluations;
  ChooseBest();
  if (!is_known) {
    // Writes the output before the result: when a trial counts as finished, its model or a better
    // one must be on disk.
    CBOARD_RETURN_IF_ERROR(WriteOutput());
    CBOARD_RETURN_IF_ERROR(state_.StoreResult(trial.number, trial.result));
  }
  Say("trial " + std::to_string(trial.number) + ": " +
      (trial.result.has_failed()
           ? "failed: " + trial.result.failure
           : report_.metric + " " + Number(*trial.result.accuracy) + ", " +
                 HumanBytes(static_cast<double>(trial.result.size_bytes)) + ", end SQNR " +
                 Number(std::round(10 * trial.end_sqnr_db) / 10) + " dB" +
                 (trial.is_met ? ": meets the goals" : "")) +
      " (" + note +
      (trial.result.evaluated_samples == 0
           ? ""
           : "; ended after " + std::to_string(trial.result.evaluated_samples) + " samples" +
                 ", the goal is out of reach") +
      ")");
  ShowProgress("evaluating", "trial " + std::to_string(trial.number) + " has ended");
  return &report_.trials.back();
}

void Tuner::ChooseBest() {
  const auto is_better = [&](const TrialReport& one, const TrialReport& other) {
    if (one.result.has_failed() != other.result.has_failed()) return other.result.has_failed();
    if (one.result.has_failed()) return false;
    if (one.is_met != other.is_met) return one.is_met;
    if (one.is_met) {
      if (options_.objective == Objective::kLatency && one.result.speedup && other.result.speedup) {
        return *one.result.speedup > *other.result.speedup;
      }
      if (options_.objective == Objective::kEnergy && one.result.energy_mj &&
          other.result.energy_mj) {
        return *one.result.energy_mj < *other.result.energy_mj;
      }
      if (one.result.size_bytes != other.result.size_bytes) {
        return one.result.size_bytes < other.result.size_bytes;
      }
      const auto changed = [](const TrialReport& trial) {
        return trial.float_nodes.size() + trial.wide_tensors.size() + trial.narrow_nodes.size();
      };
      return changed(one) < changed(other);
    }
    if (*one.result.accuracy != *other.result.accuracy) {
      return IsAsGood(*one.result.accuracy, *other.result.accuracy, better_);
    }
    return one.result.size_bytes < other.result.size_bytes;
  };
  const std::size_t last = report_.trials.size() - 1;
  if (report_.trials[last].result.has_failed()) return;
  if (report_.best && !is_better(report_.trials[last], report_.trials[*report_.best])) return;
  report_.best = last;
  is_output_current_ = false;
}

Result<void> Tuner::WriteOutput() {
  if (is_output_current_ || !report_.best) return {};
  const std::filesystem::path& model = report_.trials[*report_.best].model;
  std::error_code error;
  if (std::filesystem::exists(model.string() + ".data", error)) {
    // The model contains the name of its external data, so it is saved again under the output's
    // name instead of copied.
    CBOARD_RETURN_IF_ERROR(
        quantizer_->Save(meter_->PlanWith(changes_[*report_.best]), options_.output));
  } else {
    CBOARD_RETURN_IF_ERROR(CopyDurably(model, options_.output));
  }
  is_output_current_ = true;
  report_.is_output_written = report_.is_output_measured = true;
  return {};
}

Result<void> Tuner::WriteUnmeasuredOutput() {
  CBOARD_RETURN_IF_ERROR(quantizer_->Save(choice_.plan, options_.output));
  report_.is_output_written = true;
  return {};
}

void Tuner::MarkPareto() {
  for (TrialReport& trial : report_.trials) {
    if (trial.result.has_failed()) continue;
    trial.is_pareto = std::ranges::none_of(report_.trials, [&](const TrialReport& other) {
      if (other.result.has_failed() || other.number == trial.number) return false;
      const bool is_as_good = IsAsGood(*other.result.accuracy, *trial.result.accuracy, better_) &&
                              other.result.size_bytes <= trial.result.size_bytes;
      const bool is_equal = *other.result.accuracy == *trial.result.accuracy &&
                            other.result.size_bytes == trial.result.size_bytes;
      return is_as_good && (!is_equal || other.number < trial.number);
    });
  }
}

}  // namespace cboard::tune
