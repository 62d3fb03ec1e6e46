// compression-board benchmark: measures the variants of a model and compares them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include "cboard/base/strings.h"
#include "cboard/benchmark/benchmark.h"
#include "cboard/benchmark/results.h"
#include "cboard/benchmark/suite.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/commands/shape_flag.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/read_logs.h"
#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

namespace fs = std::filesystem;
using benchmark::BenchmarkOptions;
using benchmark::ModelBenchmark;

struct BenchmarkFlags {
  std::vector<std::string> files;
  std::string name, labels, scores, time = "60s", eval_timeout = "1h";
  std::string output = "results/models_benchmark_results.json";
  std::string logdir = "runs/compression_benchmark";
  std::string data, vocabulary, sys_root;
  bool json = false, fresh = false, no_memory = false, no_energy = false, no_log = false;
  bool no_reasons = false;
  bool measure_memory = false;
  BenchmarkOptions options;
};

void AddFlags(CLI::App& app, BenchmarkFlags& flags) {
  BenchmarkOptions& options = flags.options;
  app.add_option("FILES", flags.files,
                 "Model files, each as FILE or VARIANT=FILE, or one list of\nmodels (.yaml)")
      ->required()
      ->type_name("");
  app.add_option("--name", flags.name, "Model name in the results (default: from the file names)")
      ->type_name("NAME");
  app.add_option("--baseline", options.baseline,
                 "Variant or file to compare the others with (default: fp32, or\nthe first file)")
      ->type_name("FILE");
  app.add_option("--data", flags.data,
                 "Samples: .npz, .npy, or a folder of PNG files (default:\nrandom samples)")
      ->type_name("PATH");
  AddShapeFlag(app,
               "Shape of the random data for an input with open sizes:\nx=1,3,48,320, or "
               "1,3,48,320 if there is only one input; repeat\nthe flag for further inputs",
               options.run.shapes);
  app.add_option("--labels", flags.labels,
                 "Labels of the samples: an array of an .npz file (val.npz:y), or\na text file "
                 "with one line per sample")
      ->type_name("FILE[:ARRAY]");
  app.add_option("--metric", options.evaluation.metrics,
                 "Metrics, separated by commas: top1, top5, f1_macro,\n"
                 "f1_weighted, mse, cosine, agreement, map50, map, wer, cer,\nperplexity")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--vocabulary", flags.vocabulary,
                 "Text file with the tokens for the metrics wer and cer: one token\nper line, the "
                 "blank token first")
      ->type_name("FILE");
  app.add_option("--eval", options.evaluation.command,
                 "Command that evaluates a model and prints the accuracy, or JSON\nwith metrics, "
                 "as its last line; {model} is replaced by the path\nof the model")
      ->type_name("COMMAND");
  app.add_option("--eval-timeout", flags.eval_timeout,
                 "Time limit of the --eval command (default 1h)")
      ->type_name("TIME");
  app.add_option("--threads", options.run.threads, "Number of threads of one inference (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("--batch", options.run.batch,
                 "Batch size: number of samples per inference (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--time", flags.time,
                 "Time limit of the latency measurement, such as 60s or 2m; it\nends earlier when "
                 "the result is precise (default 60s)")
      ->type_name("TIME");
  app.add_option("--provider", options.run.provider,
                 "Execution provider of ONNX Runtime (default cpu)")
      ->type_name("NAME");
  app.add_flag("--throughput", options.measures_throughput,
               "Also measure throughput, with many inferences at the same time");
  app.add_option("--streams", options.streams,
                 "Number of parallel inferences for --throughput (default: CPUs\n"
                 "divided by threads)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--no-memory", flags.no_memory, "Do not measure memory");
  app.add_flag("--no-energy", flags.no_energy, "Do not measure energy");
  app.add_flag("--no-reasons", flags.no_reasons,
               "Do not explain why compressed variants are not faster");
  app.add_option("-o,--output", flags.output,
                 "JSON file for the results; results of other models in this file\nare kept "
                 "(default results/models_benchmark_results.json)")
      ->type_name("FILE");
  app.add_option("--logdir", flags.logdir,
                 "Directory for event files (default runs/compression_benchmark)")
      ->type_name("DIR");
  app.add_flag("--no-log", flags.no_log, "Do not write event files");
  app.add_flag("--fresh", flags.fresh,
               "Measure all models of a list again, also those with complete\n"
               "results in the JSON file");
  app.add_flag("--json", flags.json, "Print the results as JSON instead of a table");
  app.add_option("--seed", options.seed,
                 "Seed of the random order in which variants run (default 0)")
      ->type_name("N");
  app.add_option("--scores", flags.scores, "")->group("");
  app.add_flag("--measure-memory", flags.measure_memory, "")->group("");
  app.add_option("--sys-root", flags.sys_root, "")->group("");
}

// Converts flags whose format differs from the options.
Result<void> FinishOptions(BenchmarkFlags& flags) {
  BenchmarkOptions& options = flags.options;
  const auto seconds = benchmark::ParseSeconds(flags.time);
  const auto timeout = benchmark::ParseSeconds(flags.eval_timeout);
  if (!seconds || !timeout) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(seconds ? flags.eval_timeout : flags.time) +
                    " is not a duration; expected a number of seconds, or 60s, 2m, 1h");
  }
  options.max_seconds = *seconds;
  options.evaluation.timeout_seconds = *timeout;
  options.run.data = flags.data;
  options.evaluation.vocabulary = flags.vocabulary;
  if (!flags.labels.empty()) {
    const auto labels = benchmark::ParseLabelsArgument(flags.labels);
    options.evaluation.labels = labels.file;
    options.evaluation.labels_array = labels.array;
    if (options.evaluation.metrics.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "--labels needs --metric, for example --metric top1");
    }
  }
  options.measures_memory = !flags.no_memory;
  options.measures_energy = !flags.no_energy;
  options.finds_reasons = !flags.no_reasons;
  if (!flags.sys_root.empty()) options.machine.sys = flags.sys_root;
  std::error_code ignored;
  options.program = fs::read_symlink("/proc/self/exe", ignored);
  if (!flags.scores.empty()) {
    CBOARD_ASSIGN_OR_RETURN(options.evaluation.given, benchmark::ReadScores(flags.scores));
  }
  return {};
}

// Replaces a file in --baseline by the name of its variant.
void NameBaseline(BenchmarkOptions& options) {
  for (const benchmark::VariantFile& file : options.variants) {
    std::error_code ignored;
    if (file.path == options.baseline || (fs::exists(options.baseline, ignored) &&
                                          fs::equivalent(file.path, options.baseline, ignored))) {
      options.baseline = file.name;
      return;
    }
  }
}

std::string TimeText(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 120) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

// Shows the progress of a benchmark.
class PhaseProgress {
 public:
  explicit PhaseProgress(std::string model) : model_(std::move(model)) {}

  bool Update(benchmark::Phase phase, double done, double max_seconds) {
    if (!progress_ || phase != phase_) {
      progress_.emplace(model_ + ": " + std::string(NameOf(phase)), std::cerr,
                        IsTerminal(STDERR_FILENO), ProgressUnit::kItems);
      phase_ = phase;
    }
    const bool is_timed =
        phase == benchmark::Phase::kLatency || phase == benchmark::Phase::kThroughput;
    progress_->Show(std::to_string(static_cast<int>(100 * done)) + " %" +
                    (is_timed ? ", at most " + TimeText((1 - done) * max_seconds) + " left" : ""));
    return InterruptingSignal() == 0;
  }
  void Clear() { progress_.reset(); }

 private:
  std::string model_;
  benchmark::Phase phase_ = benchmark::Phase::kLoad;
  std::optional<Progress> progress_;
};

struct ModelOutcome {
  bool is_complete = false;  // All requested values were measured and written.
  bool is_written = false;   // The JSON contains at least a part of the results.
};

ModelOutcome RunModel(const BenchmarkFlags& flags, BenchmarkOptions options) {
  ModelOutcome outcome;
  PhaseProgress progress(options.model);
  options.progress = [&](benchmark::Phase phase, double done) {
    return progress.Update(phase, done, options.max_seconds);
  };
  bool has_failed_to_write = false;
  options.on_update = [&](const ModelBenchmark& model) {
    const auto written = benchmark::WriteResults(flags.output, {&model, 1});
    if (written) {
      outcome.is_written = true;
      return;
    }
    progress.Clear();
    if (!has_failed_to_write) PrintError(written.error().message);
    has_failed_to_write = true;
  };
  const auto result = benchmark::BenchmarkModel(options);
  progress.Clear();
  if (!result) {
    PrintError(options.model + ": " + result.error().message);
    return outcome;
  }
  std::cout << (flags.json ? benchmark::ToJson({&*result, 1}) : BenchmarkText(*result))
            << std::flush;
  if (!flags.no_log) {
    const fs::path directory = fs::path(flags.logdir) / fs::path(flags.output).stem();
    if (const auto logged = benchmark::LogResults(*result, directory); !logged) {
      PrintError(logged.error().message);
      return outcome;
    }
  }
  outcome.is_complete = !has_failed_to_write && result->is_complete;
  return outcome;
}

int MeasureMemoryHere(const BenchmarkFlags& flags) {
  const auto memory = benchmark::MeasureOwnMemory(flags.files[0], flags.options.run);
  if (!memory) {
    PrintError(memory.error().message);
    return kExitFailed;
  }
  std::cout << benchmark::ToJson(*memory) << '\n';
  return kExitDone;
}

bool IsList(const BenchmarkFlags& flags) {
  const fs::path first = flags.files[0];
  return first.extension() == ".yaml" || first.extension() == ".yml";
}

Result<std::vector<BenchmarkOptions>> ModelsOf(const BenchmarkFlags& flags) {
  const fs::path first = flags.files[0];
  if (IsList(flags)) {
    if (flags.files.size() > 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  "a list of models (.yaml) cannot be combined with other model files; add these "
                  "files to the list");
    }
    return benchmark::ReadSuite(first, flags.options);
  }
  BenchmarkOptions options = flags.options;
  CBOARD_ASSIGN_OR_RETURN(benchmark::NamedFiles named,
                          benchmark::ParseVariantArguments(flags.files));
  options.model = flags.name.empty() ? named.model : flags.name;
  options.variants = std::move(named.variants);
  NameBaseline(options);
  return std::vector<BenchmarkOptions>{std::move(options)};
}

}  // namespace

int RunBenchmark(Arguments arguments) {
  BenchmarkFlags flags;
  CLI::App app(
      "Measures and compares the variants of a model: latency, throughput, memory, energy\n"
      "and accuracy. Writes JSON for 'import' and event files for the board, and reports\n"
      "which variants are faster and why others are not. docs/benchmark.md has the details.\n"
      "\n"
      "Example: compression-board benchmark fp32.onnx int8.onnx --data val.npz \\\n"
      "             --labels val.npz:y --metric top1\n",
      "compression-board benchmark");
  SetUsage(app,
           "compression-board benchmark FILES... [FLAGS]\n"
           "       compression-board benchmark models.yaml [FLAGS]");
  AddFlags(app, flags);
  AddFsyncFlag(app);
  AddEndpointFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (const auto finished = FinishOptions(flags); !finished) {
    PrintError(finished.error().message);
    return kExitUsage;
  }
  if (flags.measure_memory) return MeasureMemoryHere(flags);
  const auto models = ModelsOf(flags);
  if (!models) {
    PrintError(models.error().message);
    return kExitUsage;
  }
  if (const auto checked = benchmark::CheckResultsFile(flags.output); !checked) {
    PrintError(checked.error().message);
    return kExitFailed;
  }
  NoteInterrupts();
  const bool is_list = IsList(flags);
  const auto done = is_list && !flags.fresh ? benchmark::ReadFingerprints(flags.output)
                                            : std::map<std::string, std::string, std::less<>>();
  bool is_complete = true, is_written = false;
  for (const BenchmarkOptions& options : *models) {
    if (InterruptingSignal() != 0) break;
    const auto found = done.find(options.model);
    if (found != done.end() && found->second == benchmark::FingerprintOf(options)) {
      std::cout << options.model << ": is complete in " << flags.output
                << "; --fresh measures it again\n";
      continue;
    }
    const ModelOutcome outcome = RunModel(flags, options);
    is_complete &= outcome.is_complete;
    is_written |= outcome.is_written;
  }
  if (const int signal = InterruptingSignal(); signal != 0) {
    PrintError(
        (is_written ? "the benchmark was interrupted; the results so far are in " +
                          Quoted(flags.output, 1000)
                    : std::string("interrupted before anything was measured")) +
        (models->size() > 1 ? "; run the same command again to measure the other models" : ""));
    std::cout.flush();
    EndBySignal(signal);
  }
  if (!flags.json && is_written) {
    std::cout << "\nWritten to " << flags.output << '\n';
    if (!flags.no_log) {
      std::cout << "To look at it: compression-board --logdir " << ShellWord(flags.logdir) << '\n';
    }
  }
  return is_complete ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
