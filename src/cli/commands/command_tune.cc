// compression-board tune: quantizes a model until the accuracy goal is met.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cboard/base/strings.h"
#include "cboard/tune/tune_config.h"
#include "cli/bucket_mirror.h"
#include "cli/commands.h"
#include "cli/commands/shape_flag.h"
#include "cli/interrupt.h"
#include "cli/memory_limit.h"
#include "cli/progress.h"
#include "cli/read_logs.h"
#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

struct TuneFlags {
  std::string model, output, data, eval_data, state, logdir, labels, config;
  std::string max_drop, max_size, objective = "size", target = "this-machine", ranges = "auto";
  std::string time, eval_timeout = "1h";
  double min_speedup = 0;
  std::size_t max_evaluations = 0;
  bool json = false;
};

// Reads --config. The time budget and the number of evaluations on the command line override the
// file.
Result<void> ReadTuneFlags(const TuneFlags& flags, tune::TuneOptions& options) {
  options.model = flags.model;
  options.output = flags.output;
  if (!flags.config.empty()) {
    CBOARD_ASSIGN_OR_RETURN(const tune::AppliedConfig applied,
                            tune::ApplyConfig(flags.config, options));
    for (const std::string& key : applied.ignored) {
      PrintError("--config: ignored the unknown key '" + key +
                 "'; remove it or check its spelling");
    }
    if (applied.logs && flags.logdir.empty()) options.logdir = "runs/eval";
  }
  if (!flags.state.empty()) options.state = flags.state;
  if (!flags.logdir.empty()) options.logdir = flags.logdir;
  if (!flags.max_drop.empty()) {
    CBOARD_ASSIGN_OR_RETURN(options.goals.max_drop, tune::MaxDrop::Parse(flags.max_drop));
  }
  if (!flags.max_size.empty()) {
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(options.model, error);
    CBOARD_ASSIGN_OR_RETURN(options.goals.max_size_bytes,
                            tune::ParseSize(flags.max_size, error ? 0 : bytes));
  }
  if (flags.min_speedup > 0) options.goals.min_speedup = flags.min_speedup;
  if (flags.max_evaluations > 0) options.max_evaluations = flags.max_evaluations;
  if (!flags.time.empty()) {
    CBOARD_ASSIGN_OR_RETURN(options.max_seconds, tune::ParseDuration(flags.time));
  }
  CBOARD_ASSIGN_OR_RETURN(options.objective, tune::ObjectiveOf(flags.objective));
  CBOARD_ASSIGN_OR_RETURN(options.quantize.target, quantize::TargetOf(flags.target));
  CBOARD_ASSIGN_OR_RETURN(options.quantize.ranges, quantize::RangeMethodOf(flags.ranges));
  options.quantize.data = flags.data;
  benchmark::EvaluationOptions& evaluation = options.evaluation.options;
  CBOARD_ASSIGN_OR_RETURN(evaluation.timeout_seconds, tune::ParseDuration(flags.eval_timeout));
  options.evaluation.run.shapes = options.quantize.shapes;
  options.evaluation.run.data = flags.eval_data.empty() ? flags.data : flags.eval_data;
  if (flags.labels.empty()) return {};
  const auto labels = benchmark::ParseLabelsArgument(flags.labels);
  evaluation.labels = labels.file;
  evaluation.labels_array = labels.array;
  if (evaluation.metrics.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--labels needs --metric, for example --metric top1");
  }
  // If --eval-data is not given, the samples are read from the file of the labels: from an array
  // beside the labels.
  if (flags.eval_data.empty() && !labels.array.empty()) options.evaluation.run.data = labels.file;
  return {};
}

void AddTuneFlags(CLI::App& app, TuneFlags& flags, tune::TuneOptions& options) {
  app.add_option("MODEL", flags.model, "The float model, an ONNX file")->required()->type_name("");
  app.add_option("-o,--output", flags.output, "Output file for the quantized model")
      ->required()
      ->type_name("FILE");
  app.add_option("--data", flags.data,
                 "Samples for calibration: .npz, .npy, or a folder of PNG\n"
                 "files; random data if omitted")
      ->type_name("PATH");
  app.add_option("--max-drop", flags.max_drop,
                 "Maximum drop of the metric: 1% (default) of the baseline,\n"
                 "1pp (percentage points), or a number in its unit")
      ->type_name("DROP");
  app.add_option("--labels", flags.labels,
                 "Labels for --metric: val.npz:y; the samples are in the same\n"
                 "file, or in --eval-data")
      ->type_name("FILE[:ARRAY]");
  app.add_option("--metric", options.evaluation.options.metrics,
                 "Metric to evaluate: top1, top5, f1_macro, map50, wer, …; with\n--eval, a key of "
                 "the JSON that the command prints")
      ->type_name("NAME")
      ->expected(1);
  app.add_option("--eval", options.evaluation.options.command,
                 "Command that prints the accuracy as its last line, for example\n"
                 "'python eval.py {model}', where {model} is replaced by the path.\n"
                 "Without --labels and --eval, the agreement with the float model\n"
                 "is measured")
      ->type_name("COMMAND");
  app.add_option("--eval-timeout", flags.eval_timeout,
                 "Time limit of the --eval command (default 1h)")
      ->type_name("TIME");
  app.add_option("--eval-data", flags.eval_data,
                 "Samples for the evaluation (default: those of --data)")
      ->type_name("PATH");
  app.add_option("--max-size", flags.max_size,
                 "Goal for the file size: 4MB, or 30% of the baseline's size")
      ->type_name("SIZE");
  app.add_option("--min-speedup", flags.min_speedup,
                 "Goal for the speed: minimum speedup compared with the baseline,\nfor example 1.5")
      ->type_name("RATIO")
      ->check(CLI::PositiveNumber);
  app.add_option("--objective", flags.objective,
                 "Quantity to minimize while the goals are met: size (default),\nlatency or energy")
      ->type_name("NAME");
  app.add_option("--max-evals", flags.max_evaluations,
                 "Maximum number of quantized models to evaluate (default 5)")
      ->type_name("N")
      ->check(CheckCount);
  app.add_flag("--stop-at-goal", options.stops_at_goal,
               "Stop when the goals are met: skip evaluations that are only\nneeded for the "
               "trade-off curve");
  app.add_option("--time", flags.time,
                 "Time limit, such as 90s, 10m or 1.5h; no trial starts after it")
      ->type_name("TIME");
  app.add_option("--keep-float", options.quantize.keep_float,
                 "Keep these nodes, weights or operator types\nin float; a pattern may\n"
                 "contain * and ?; repeat the flag for more")
      ->type_name("PATTERN");
  app.add_option("--ranges", flags.ranges,
                 "Method that chooses ranges: auto (default), minmax, percentile,\n"
                 "entropy, mse")
      ->type_name("METHOD");
  app.add_option("--target", flags.target,
                 "Processor that will run the model: this-machine (default),\n"
                 "ort-cpu, ort-vnni, tensorrt, openvino")
      ->type_name("TARGET");
  app.add_option("--samples", options.quantize.max_samples,
                 "Maximum number of calibration samples (default 128)")
      ->type_name("N")
      ->check(CheckCount);
  AddShapeFlag(app,
               "Shape of the random data for an input with open sizes:\nx=1,3,48,320; repeat the "
               "flag for further inputs",
               options.quantize.shapes);
  app.add_option("--config", flags.config,
                 "YAML configuration of neural-compressor: op_wise, accuracy\n"
                 "criterion, exit policy, tensorboard. Flags override it")
      ->type_name("FILE");
  app.add_option("--logdir", flags.logdir,
                 "Directory for the event files of every trial, for the Tuning\n"
                 "page and TensorBoard (default runs/eval)")
      ->type_name("DIR");
  app.add_option("--state", flags.state,
                 "Directory for the state of the tuning (default OUTPUT.tune)")
      ->type_name("DIR");
  app.add_flag("--resume", options.is_resumed, "Continue an interrupted tuning");
  app.add_flag("--explain,!--no-explain", options.explains,
               "Explain why layers were kept in more than 8 bits (on by default)");
  app.add_flag("--json", flags.json, "Print the result as JSON");
}

}  // namespace

int RunTune(Arguments arguments) {
  TuneFlags flags;
  tune::TuneOptions options;
  CLI::App app(
      "Quantizes an ONNX model until an accuracy goal is met: evaluates the model in 8 bits,\n"
      "finds the operators that reduce the accuracy, keeps them in float or 16 bits, and tries\n"
      "again. The best model so far is on disk after every trial. Exit code 1 means that no model "
      "met the\ngoals; the output is then the best model. docs/tune.md explains the search.\n"
      "\n"
      "Example: compression-board tune net.onnx --data calib.npz --labels val.npz:y\n"
      "             --metric top1 --max-drop 1% -o net_int8.onnx --logdir runs/eval\n",
      "compression-board tune");
  SetUsage(app, "compression-board tune MODEL -o FILE [FLAGS]");
  AddTuneFlags(app, flags, options);
  AddEndpointFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (const Result<void> read = ReadTuneFlags(flags, options); !read) {
    PrintError(read.error().message);
    return kExitUsage;
  }
  // Writes to a local directory first, because finished trials are renamed, and objects in a bucket
  // cannot be renamed.
  Result<BucketMirror> mirror =
      BucketMirror::Open(options.logdir, options.output.string() + ".logs");
  if (!mirror) {
    PrintError(mirror.error().message);
    return kExitFailed;
  }
  Progress progress("tuning", std::cerr, IsTerminal(STDERR_FILENO), ProgressUnit::kItems);
  NoteInterrupts();
  options.progress = [&](std::string_view step) {
    progress.Show(std::string(step));
    return InterruptingSignal() == 0;
  };
  options.on_line = [&](std::string_view line) {
    progress.Clear();
    (flags.json ? std::cerr : std::cout) << line << std::endl;
    static_cast<void>(mirror->Send());  // The last Send() reports remaining errors.
  };
  LimitToFreeMemory();
  const auto report = tune::TuneModel(options);
  progress.Clear();
  const Result<void> sent = mirror->Send();
  if (!sent)
    PrintError(sent.error().message + "; the logs remain in the local directory " +
               Quoted(options.logdir.string(), 300));
  if (!report) {
    PrintError(report.error().message);
    return kExitFailed;
  }
  std::cout << (flags.json ? tune::ToJson(*report) + "\n" : "\n" + TuneText(*report));
  return report->is_met && sent ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
