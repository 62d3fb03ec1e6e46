#include "cboard/benchmark/benchmark.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "benchmark/files/file_hash.h"
#include "benchmark/latency/percentiles.h"
#include "benchmark/latency/run_clock.h"
#include "cboard/base/strings.h"
#include "cboard/model/model_graph.h"

namespace cboard::benchmark {
namespace {

// Returns the size of a model file and of the files to which it refers.
std::uint64_t SizeOfModel(const std::filesystem::path& path) {
  if (const auto graph = model::OpenModel(path)) return graph->file_bytes();
  std::error_code ignored;
  return std::filesystem::file_size(path, ignored);
}

std::string BaselineOf(const BenchmarkOptions& options) {
  if (!options.baseline.empty()) return options.baseline;
  const auto is_fp32 = [](const VariantFile& file) {
    return file.name == compression::kDefaultBaseline;
  };
  return std::ranges::any_of(options.variants, is_fp32) ? std::string(compression::kDefaultBaseline)
                                                        : options.variants[0].name;
}

Result<void> CheckOptions(const BenchmarkOptions& options) {
  if (options.variants.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "no model file is given; give at least one");
  }
  std::set<std::string> names;
  for (const VariantFile& file : options.variants) {
    if (!names.insert(file.name).second) {
      return Fail(ErrorCode::kInvalidArgument,
                  "two variants are called " + Quoted(file.name) + "; give each its own name");
    }
  }
  if (!options.baseline.empty() && !names.contains(options.baseline)) {
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + Quoted(name);
    return Fail(ErrorCode::kInvalidArgument, "the baseline " + Quoted(options.baseline) +
                                                 " is not one of the given variants; they are " +
                                                 known);
  }
  if (!(options.max_seconds > 0)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the time limit of the latency measurement must be above 0 seconds");
  }
  return CheckEvaluation(options.evaluation, options.run);
}

class ModelRunner {
 public:
  explicit ModelRunner(const BenchmarkOptions& options) : options_(options), start_(WallSeconds()) {
    result_.model = options.model;
    result_.baseline = BaselineOf(options);
    result_.machine = DescribeMachine(options.machine);
    result_.provider = options.run.provider;
    result_.threads = options.run.threads;
    result_.fingerprint = FingerprintOf(options);
  }

  Result<ModelBenchmark> Run() {
    CBOARD_RETURN_IF_ERROR(LoadAll());
    const VariantBenchmark& first = *Measured()[0];
    CBOARD_RETURN_IF_ERROR(CheckLabels(loaded_.at(first.name).session(), first.path, options_.run,
                                       options_.evaluation));
    const auto phases = {&ModelRunner::Latency, &ModelRunner::Throughput, &ModelRunner::Memory,
                         &ModelRunner::Energy,  &ModelRunner::Accuracy,   &ModelRunner::Reasons};
    for (const auto phase : phases) {
      if (is_stopped_) break;
      (this->*phase)();
      result_.seconds = WallSeconds() - start_;
      if (options_.on_update) options_.on_update(result_);
    }
    result_.is_complete = !is_stopped_ && !has_failed_evaluation_;
    for (const VariantBenchmark& variant : result_.variants) {
      if (!variant.is_measured()) result_.is_complete = false;
    }
    if (options_.on_update) options_.on_update(result_);
    return std::move(result_);
  }

 private:
  bool Report(Phase phase, double done) {
    if (options_.progress && !options_.progress(phase, done)) is_stopped_ = true;
    return !is_stopped_;
  }

  Result<void> LoadAll() {
    pinned_.emplace(PinnedThreads::ToIdleCpus(options_.run.threads, options_.machine));
    result_.cpus = pinned_->cpus();
    std::optional<Error> first_error;
    for (std::size_t i = 0; i < options_.variants.size(); ++i) {
      if (!Report(Phase::kLoad,
                  static_cast<double>(i) / static_cast<double>(options_.variants.size()))) {
        return Fail(ErrorCode::kUnavailable,
                    "the benchmark was interrupted while it loaded the variants");
      }
      const VariantFile& file = options_.variants[i];
      VariantBenchmark variant{.name = file.name, .path = file.path};
      auto loaded = LoadedVariant::Open(file.path, options_.run);
      if (!loaded) {
        if (!first_error) first_error = loaded.error();
        variant.error = std::move(loaded).error().message;
        result_.variants.push_back(std::move(variant));
        continue;
      }
      variant.size_bytes = SizeOfModel(file.path);
      variant.sha256 = HashFile(file.path).value_or("");
      variant.load_ms = loaded->load_ms();
      variant.first_inference_ms = loaded->first_inference_ms();
      variant.why_invalid = loaded->output_problems();
      result_.runtime_version = loaded->session().runtime().version;
      if (result_.input_shapes.empty()) {
        result_.input_shapes = loaded->input_shapes();
        result_.batch = loaded->batch();
        result_.data = loaded->is_random_data() ? "random" : options_.run.data.filename().string();
      }
      result_.variants.push_back(std::move(variant));
      loaded_.emplace(file.name, *std::move(loaded));
    }
    if (loaded_.empty()) return Fail(*std::move(first_error));
    LoadCopies();
    return {};
  }

  // Loads every variant a second time, in the reverse order, so that no variant has an advantage
  // from its place in memory. If this fails, the variant is measured with one copy.
  void LoadCopies() {
    std::uint64_t total_bytes = 0;
    for (const VariantBenchmark& variant : result_.variants) total_bytes += variant.size_bytes;
    if (total_bytes > kMaxCopiedBytes || result_.variants.size() < 2) return;
    for (auto variant = result_.variants.rbegin(); variant != result_.variants.rend(); ++variant) {
      if (!variant->is_measured()) continue;
      if (!Report(Phase::kLoad, 1)) return;
      if (auto copy = LoadedVariant::Open(variant->path, options_.run)) {
        copies_.emplace(variant->name, *std::move(copy));
      }
    }
  }

  // Returns the variants that were measured, the baseline first.
  std::vector<VariantBenchmark*> Measured() {
    std::vector<VariantBenchmark*> measured;
    for (VariantBenchmark& variant : result_.variants) {
      if (!variant.is_measured()) continue;
      const bool is_baseline = variant.name == result_.baseline;
      measured.insert(is_baseline ? measured.begin() : measured.end(), &variant);
    }
    return measured;
  }
  bool HasBaseline() const { return loaded_.contains(result_.baseline); }

  void FailAll(const std::vector<VariantBenchmark*>& variants, std::string_view what,
               const Error& error) {
    for (VariantBenchmark* variant : variants) {
      variant->not_measured.push_back({std::string(what), error.message});
    }
  }

  void Latency() {
    const std::vector<VariantBenchmark*> measured = Measured();
    std::vector<LatencySubject> subjects;
    std::size_t samples = loaded_.begin()->second.sample_count();
    for (const VariantBenchmark* variant : measured) {
      LoadedVariant& loaded = loaded_.at(variant->name);
      samples = std::min(samples, loaded.sample_count());
      LatencySubject subject{variant->name, [&loaded](std::size_t i) { return loaded.RunOnce(i); }};
      if (const auto copy = copies_.find(variant->name); copy != copies_.end()) {
        subject.run_copy = [&loaded = copy->second](std::size_t i) { return loaded.RunOnce(i); };
      }
      subjects.push_back(std::move(subject));
    }
    LatencyOptions options;
    options.max_seconds = options_.max_seconds;
    options.max_relative_width = options_.max_relative_width;
    options.sample_count = samples;
    options.seed = options_.seed;
    options.is_single_threaded = options_.run.threads == 1 && options_.run.provider == "cpu";
    options.machine = options_.machine;
    options.cpus = result_.cpus;
    options.progress = [this](double done) { return Report(Phase::kLatency, done); };
    auto compared = MeasureLatency(subjects, options);
    copies_.clear();
    if (!compared && is_stopped_) return;
    if (!compared) return FailAll(measured, "latency_mean_ms", compared.error());
    result_.basis = compared->basis;
    result_.block_count = compared->block_count;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      VariantBenchmark& variant = *measured[i];
      VariantLatency& latency = compared->variants[i];
      if (!HasBaseline()) {
        latency.verdict = Verdict::kCannotTell;
        latency.speedup = latency.wall_speedup = latency.cpu_speedup = {};
        variant.not_measured.push_back(
            {"speedup", "the baseline " + Quoted(result_.baseline) + " could not be measured"});
      }
      std::ranges::copy(compared->disturbances, std::back_inserter(variant.why_invalid));
      std::ranges::copy(MissingPercentiles(latency), std::back_inserter(variant.not_measured));
      if (i > 0 && HasBaseline() && latency.speedup.block_count < kMinBlocks) {
        variant.not_measured.push_back(
            {"verdict", "only " + std::to_string(latency.speedup.block_count) + " of " +
                            std::to_string(kMinBlocks) +
                            " blocks fit into the time; give more with --time"});
      }
      variant.latency = std::move(latency);
    }
  }

  void Throughput() {
    if (!options_.measures_throughput) return;
    const std::vector<VariantBenchmark*> measured = Measured();
    // Uses all CPUs: each of the inferences that run in parallel has its own thread.
    pinned_.reset();
    const auto streams = static_cast<std::size_t>(
        options_.streams > 0 ? options_.streams
                             : std::max(1, static_cast<int>(result_.machine.cpu_count) /
                                               std::max(1, options_.run.threads)));
    std::vector<std::vector<runtime::PreparedRun>> runs(measured.size());
    std::vector<ThroughputSubject> subjects;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const LoadedVariant& loaded = loaded_.at(measured[i]->name);
      ThroughputSubject subject{.name = measured[i]->name, .batch = loaded.batch()};
      for (std::size_t k = 0; k < streams; ++k) {
        auto run = loaded.PrepareAgain();
        if (!run) return FailAll(measured, "throughput", run.error());
        runs[i].push_back(*std::move(run));
      }
      for (runtime::PreparedRun& run : runs[i])
        subject.streams.push_back([&run] { return run.Run(); });
      subjects.push_back(std::move(subject));
    }
    ThroughputOptions options;
    options.max_seconds = options_.max_seconds;
    options.max_relative_width = options_.max_relative_width;
    options.seed = options_.seed;
    options.progress = [this](double done) { return Report(Phase::kThroughput, done); };
    auto results = MeasureThroughput(subjects, options);
    if (!results && is_stopped_) return;
    if (!results) return FailAll(measured, "throughput", results.error());
    for (std::size_t i = 0; i < measured.size(); ++i) measured[i]->throughput = (*results)[i];
  }

  void Memory() {
    if (!options_.measures_memory) return;
    const std::vector<VariantBenchmark*> measured = Measured();
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (!Report(Phase::kMemory, static_cast<double>(i) / static_cast<double>(measured.size()))) {
        return;
      }
      VariantBenchmark& variant = *measured[i];
      if (options_.program.empty()) {
        variant.not_measured.push_back(
            {"memory_usage_mb", "the program compression-board was not found"});
        continue;
      }
      auto memory = MeasureMemory(options_.program, variant.path, options_.run);
      if (memory) {
        variant.memory = *memory;
      } else {
        variant.not_measured.push_back({"memory_usage_mb", memory.error().message});
      }
    }
  }

  void Energy() {
    if (!options_.measures_energy) return;
    const std::vector<VariantBenchmark*> measured = Measured();
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (!Report(Phase::kEnergy, static_cast<double>(i) / static_cast<double>(measured.size()))) {
        return;
      }
      VariantBenchmark& variant = *measured[i];
      LoadedVariant& loaded = loaded_.at(variant.name);
      EnergyOptions options;
      options.sys = options_.machine.sys;
      options.nvml_library = options_.nvml_library;
      options.reads_gpu = options_.run.provider != "cpu";
      options.stop_requested = [&] { return !Report(Phase::kEnergy, 0); };
      auto energy = MeasureEnergy([&loaded] { return loaded.RunOnce(0); }, options);
      if (!energy) {
        variant.not_measured.push_back({"energy_consumption_mw", energy.error().message});
        continue;
      }
      variant.energy = energy->cpu;
      variant.gpu = energy->gpu;
      if (!energy->cpu) variant.not_measured.push_back({"energy_consumption_mw", energy->why_not});
    }
  }

  void Accuracy() {
    const EvaluationOptions& evaluation = options_.evaluation;
    if (evaluation.empty()) return;
    const std::vector<VariantBenchmark*> measured = Measured();
    const runtime::Session* const baseline =
        HasBaseline() ? &loaded_.at(result_.baseline).session() : nullptr;
    const auto count = static_cast<double>(measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (!Report(Phase::kAccuracy, static_cast<double>(i) / count)) return;
      VariantBenchmark& variant = *measured[i];
      TakeGivenScores(evaluation, variant);
      if (evaluation.metrics.empty() && evaluation.command.empty()) continue;
      const auto progress = [&](double done) {
        return Report(Phase::kAccuracy, (static_cast<double>(i) + done) / count);
      };
      auto evaluated = EvaluateEach(loaded_.at(variant.name).session(), baseline, variant.path,
                                    options_.run, evaluation, progress);
      if (!evaluated) {
        if (!is_stopped_) FailEvaluation({{"accuracy", evaluated.error().message}}, variant);
        continue;
      }
      variant.scores.merge(evaluated->scores);
      FailEvaluation(evaluated->failed, variant);
    }
  }

  void TakeGivenScores(const EvaluationOptions& evaluation, VariantBenchmark& variant) {
    auto given = evaluation.given.find(variant.name);
    if (given == evaluation.given.end()) given = evaluation.given.find(variant.path.string());
    if (given == evaluation.given.end()) return;
    variant.scores = given->second.scores;
    if (!given->second.error.empty()) {
      FailEvaluation({{"accuracy", given->second.error}}, variant);
    }
  }

  void FailEvaluation(const std::vector<compression::Omission>& failed, VariantBenchmark& variant) {
    for (const compression::Omission& metric : failed) {
      has_failed_evaluation_ = true;
      variant.not_measured.push_back(metric);
      const std::string why = "the evaluation failed: " + metric.reason;
      if (std::ranges::find(variant.why_invalid, why) != variant.why_invalid.end()) continue;
      variant.why_invalid.push_back(why);
    }
  }

  void Reasons() {
    if (!options_.finds_reasons || !HasBaseline()) return;
    std::optional<ModelProfile> baseline;
    const std::vector<VariantBenchmark*> measured = Measured();
    for (std::size_t i = 1; i < measured.size(); ++i) {
      VariantBenchmark& variant = *measured[i];
      if (!variant.latency || variant.latency->verdict == Verdict::kFaster) continue;
      if (!Report(Phase::kReasons, static_cast<double>(i) / static_cast<double>(measured.size()))) {
        return;
      }
      if (!baseline) {
        auto profile = ProfileModel(measured[0]->path, options_.run);
        if (!profile) return FailReasons(measured, profile.error());
        baseline = *std::move(profile);
      }
      const auto profile = ProfileModel(variant.path, options_.run);
      if (!profile) {
        FailReasons({measured[0], &variant}, profile.error());
        continue;
      }
      // Reasons are searched only for variants that are not faster. If the whole interval is above
      // 1, a variant counts as faster even with too few blocks for a verdict.
      const RatioEstimate& speedup = variant.latency->speedup;
      const bool is_same_file = variant.sha256 == measured[0]->sha256;
      if (!is_same_file && (speedup.block_count >= kMinBlocks || speedup.low <= 1)) {
        const bool is_slower = variant.latency->verdict == Verdict::kSlower;
        variant.why_slower = FindReasons(*baseline, *profile, result_.machine, is_slower);
        if (variant.why_slower.empty() && is_slower) {
          variant.not_measured.push_back(
              {"why_slower",
               "no operator takes longer in the profile: the time is spent between operators"});
        }
      }
      variant.operator_times = CompareOperators(*baseline, *profile, kMaxOperators);
    }
  }

  // Notes in the variants that are not faster, after the baseline, why they have no reasons.
  static void FailReasons(const std::vector<VariantBenchmark*>& measured, const Error& error) {
    for (std::size_t i = 1; i < measured.size(); ++i) {
      VariantBenchmark& variant = *measured[i];
      if (!variant.latency || variant.latency->verdict == Verdict::kFaster) continue;
      variant.not_measured.push_back({"why_slower", error.message});
    }
  }

  static constexpr std::size_t kMaxOperators = 20;
  // Maximum size of all files for loading each variant twice; two copies of larger models may not
  // fit into memory.
  static constexpr std::uint64_t kMaxCopiedBytes = 512 << 20;

  const BenchmarkOptions& options_;
  double start_;
  bool is_stopped_ = false;
  bool has_failed_evaluation_ = false;
  ModelBenchmark result_;
  std::optional<PinnedThreads> pinned_;
  std::map<std::string, LoadedVariant> loaded_;
  std::map<std::string, LoadedVariant> copies_;  // Second copies, only while latency is measured.
};

}  // namespace

std::string_view NameOf(Phase phase) {
  switch (phase) {
    case Phase::kLoad:
      return "loading models";
    case Phase::kLatency:
      return "measuring latency";
    case Phase::kThroughput:
      return "measuring throughput";
    case Phase::kMemory:
      return "measuring memory";
    case Phase::kEnergy:
      return "measuring energy";
    case Phase::kAccuracy:
      return "measuring accuracy";
    case Phase::kReasons:
      break;
  }
  return "profiling operators";
}

VariantBenchmark* ModelBenchmark::Find(std::string_view name) {
  const auto found = std::ranges::find(variants, name, &VariantBenchmark::name);
  return found == variants.end() ? nullptr : &*found;
}
const VariantBenchmark* ModelBenchmark::Find(std::string_view name) const {
  const auto found = std::ranges::find(variants, name, &VariantBenchmark::name);
  return found == variants.end() ? nullptr : &*found;
}

Result<ModelBenchmark> BenchmarkModel(const BenchmarkOptions& options) {
  CBOARD_RETURN_IF_ERROR(CheckOptions(options));
  return ModelRunner(options).Run();
}

}  // namespace cboard::benchmark
