// compression-board compare: finds the damaged layers of a compressed model, and the causes.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cboard/compare/compare_models.h"
#include "cboard/compare/comparison_json.h"
#include "cboard/compare/comparison_log.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/compare/model_stages.h"
#include "cli/commands.h"
#include "cli/commands/shape_flag.h"
#include "cli/memory_limit.h"
#include "cli/progress.h"
#include "cli/read_logs.h"
#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

Result<void> Log(const compare::ModelComparison& comparison, const std::string& logdir,
                 bool as_stages) {
  if (!as_stages) return compare::LogComparison(comparison, logdir);
  CBOARD_ASSIGN_OR_RETURN(const auto logger,
                          StageLogger::OpenIn(logdir, {.model = comparison.baseline.stem()}));
  CBOARD_RETURN_IF_ERROR(compare::LogModelStages(comparison, *logger));
  return logger->Close();
}

// Returns the exit code; `fail_on` is empty, "broken" or "degraded".
int ExitCodeOf(const compare::EndVerdict& verdict, const std::string& fail_on) {
  if (fail_on.empty()) return kExitDone;
  const auto limit =
      fail_on == "broken" ? compare::VerdictLevel::kBroken : compare::VerdictLevel::kDegraded;
  return verdict.level >= limit ? kExitFailed : kExitDone;
}

}  // namespace

int RunCompare(Arguments arguments) {
  std::string baseline, variant, logdir;
  compare::CompareOptions options;
  std::string data, fail_on;
  bool json = false;
  bool as_stages = false;
  bool is_quick = false;
  CompareTextOptions shown;
  CLI::App app(
      "Compares a model file before and after compression: pairs the layers, compares weights\n"
      "and (for ONNX) outputs, lists the most damaged layers first with cause and fix.\n"
      "docs/compare.md explains the numbers.\n"
      "\n"
      "Example: compression-board compare resnet18.onnx resnet18_int8.onnx --data images.npz\n",
      "compression-board compare");
  SetUsage(app, "compression-board compare BASELINE VARIANT [FLAGS]");
  app.add_option("BASELINE", baseline, "The model before compression")->required()->type_name("");
  app.add_option("VARIANT", variant, "The model after compression")->required()->type_name("");
  app.add_option("--data", data,
                 "Samples to run: .npz, .npy, or a folder of PNG files;\nrandom data if omitted")
      ->type_name("PATH");
  AddShapeFlag(app,
               "Shape of the random data for an input with open sizes:\n"
               "x=1,3,48,320, or 1,3,48,320 if there is only one input;\n"
               "repeat the flag for further inputs",
               options.shapes);
  app.add_option("--samples", options.samples,
                 "Maximum number of samples to run (default 20); 0 compares weights\nonly. Without "
                 "ONNX Runtime, or if it cannot run the models, the\ndefault is 0")
      ->type_name("N");
  app.add_option("--top", shown.top, "Number of layers to show (default 10)")->type_name("N");
  app.add_flag("--all", shown.all,
               "Also print the result of each output head, the explanation of\nevery damaged "
               "layer, warnings about the graph, saturation and\nthe size of each layer");
  app.add_flag("--quick", is_quick,
               "Do not search for the root cause of broken or degraded outputs;\n"
               "rank layers by their local errors");
  app.add_option("--budget", options.blame_seconds,
                 "Maximum time of the search for the root cause, in seconds of CPU\n"
                 "and of elapsed time (default 60)")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  app.add_option("--logdir", logdir,
                 "Also log histograms, metrics and graphs to this directory,\nfor the board and "
                 "TensorBoard")
      ->type_name("DIR");
  app.add_flag("--stages", as_stages,
               "With --logdir: log the two models as the stages\n"
               "initial_graph and after_quantization, in the layout of the\n"
               "Model Compression Toolkit; see docs/stages.md");
  app.add_option("--fail-on", fail_on,
                 "Exit with code 1 if the outputs of VARIANT are broken; with the\n"
                 "value 'degraded', also if they are degraded")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"broken", "degraded"}));
  app.add_option(
         "--verify", options.verify,
         "Also measure the gain of restoring parts to float: run VARIANT\nagain with each of the N "
         "most damaged parts in float (default 5),\nwith the best of these parts together, with "
         "all weights and with\nall outputs. Takes up to N + 17 more runs over the samples, and "
         "41\nmore to search for the cause if these parts do not explain the\ndamage")
      ->type_name("[N]")
      ->expected(0, 1)
      ->default_str("5");
  app.add_flag("--json", json, "Print all results as JSON");
  for (const char* count : {"--samples", "--top", "--verify"}) {
    app.get_option(count)->check(CheckCount);
  }
  AddFsyncFlag(app);
  AddEndpointFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;

  if (as_stages && logdir.empty()) {
    PrintError("--stages needs a log directory; add --logdir DIR");
    return kExitUsage;
  }
  if (is_quick) options.blame_seconds = 0;
  options.data = data;
  options.histograms = !logdir.empty();
  Progress progress("running both models", std::cerr, IsTerminal(STDERR_FILENO),
                    ProgressUnit::kItems);
  options.progress = [&](std::size_t done, std::size_t total) {
    progress.Update(done, total);
    return true;
  };
  Progress verifying("running the variant with parts restored", std::cerr,
                     IsTerminal(STDERR_FILENO), ProgressUnit::kItems);
  options.verify_progress = [&](std::size_t done, std::size_t total) {
    progress.Clear();
    verifying.Update(done, total);
    return true;
  };
  Progress blaming("finding what is to blame", std::cerr, IsTerminal(STDERR_FILENO),
                   ProgressUnit::kItems);
  // Shows progress only on a terminal. Log files do not need it, because the report contains the
  // duration.
  const bool is_shown = IsTerminal(STDERR_FILENO);
  options.blame_progress = [&](double seconds, double max_seconds) {
    if (!is_shown) return true;
    progress.Clear();
    verifying.Clear();
    blaming.Show("at most " + std::to_string(static_cast<int>(max_seconds - seconds)) + " s left");
    return true;
  };
  LimitToFreeMemory();
  const Result<compare::ModelComparison> comparison =
      compare::CompareModels(baseline, variant, options);
  progress.Clear();
  verifying.Clear();
  blaming.Clear();
  if (!comparison) {
    PrintError(comparison.error().message);
    return kExitFailed;
  }
  std::cout << (json ? compare::ToJson(*comparison) : CompareText(*comparison, shown));
  const int verdict = ExitCodeOf(comparison->verdict, fail_on);
  if (logdir.empty()) return verdict;
  if (const Result<void> logged = Log(*comparison, logdir, as_stages); !logged) {
    PrintError(logged.error().message);
    return kExitFailed;
  }
  if (!json) {
    std::cout << "\nLogged; view it with: compression-board --logdir " << ShellWord(logdir) << '\n';
  }
  return verdict;
}

}  // namespace cboard::cli
