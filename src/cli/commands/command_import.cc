// compression-board import: converts benchmark JSON and layer reports to runs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/temporary_folder.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/compression/benchmark_import.h"
#include "cboard/compression/benchmark_json.h"
#include "cboard/compression/layer_report.h"
#include "cboard/compression/names.h"
#include "cboard/object_store/object_url.h"
#include "cboard/writer/run_file.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/read_logs.h"
#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

namespace fs = std::filesystem;

struct ImportFlags {
  std::vector<std::string> files;
  std::string logdir;
  std::string format;  // Empty: detect the format from the file.
  std::string model;
  std::string variant = std::string(compression::kDefaultVariant);
  std::int64_t step = 0;
  bool verbose = false;
};

constexpr std::string_view kBenchmark = "benchmark";

// Selects the directory for the runs of each file: --logdir for a single file, a subdirectory of
// --logdir for each of several files. No two files share a directory, and neither do their HParams
// rows.
class Directories {
 public:
  explicit Directories(const ImportFlags& flags)
      : base_(flags.logdir.empty() ? fs::path("runs") / "compression_benchmark"
                                   : fs::path(flags.logdir)),
        per_file_(flags.logdir.empty() || flags.files.size() > 1) {}

  fs::path For(const std::string& name) {
    if (!per_file_) return base_;
    const std::string wanted = compression::DirectoryNameOf(name);
    std::string directory = wanted;
    for (int n = 2; taken_.contains(directory) || taken_.contains(directory + "_hparams"); ++n) {
      directory = wanted + "_" + std::to_string(n);
    }
    taken_.insert({directory, directory + "_hparams"});
    return base_ / directory;
  }

  // Returns the directory that contains all imported runs.
  const fs::path& base() const { return base_; }

 private:
  fs::path base_;
  bool per_file_;
  std::set<std::string> taken_;
};

struct Outcome {
  std::size_t model_count = 0;
  bool complete = true;
  bool has_layers = false;  // True if any file was a layer report.
  fs::path last_directory;
  fs::path last_hparams_directory;
};

// Returns the format of a layer report; nullopt for benchmarks and unreadable files.
std::optional<compression::LayerReportKind> KindOf(const std::string& path,
                                                   const ImportFlags& flags) {
  if (!flags.format.empty()) return compression::LayerReportKindOf(flags.format);
  const Result<File> file = File::OpenForReading(path);
  if (!file) return std::nullopt;
  std::string beginning(4096, '\0');
  const Result<std::size_t> size =
      file->ReadAt(0, std::as_writable_bytes(std::span(beginning.data(), beginning.size())));
  if (!size) return std::nullopt;
  beginning.resize(*size);
  return compression::DetectLayerReport(beginning, path);
}

// Imports a layer report. Reports of one model are logged to one run, even if they come from
// several files.
void ImportLayers(const std::string& path, compression::LayerReportKind kind,
                  const ImportFlags& flags, Outcome& outcome) {
  const compression::LayerImportOptions options{
      .directory = flags.logdir.empty() ? fs::path("runs") / "layers" : fs::path(flags.logdir),
      .model = flags.model,
      .variant = flags.variant,
      .step = flags.step};
  outcome.complete = false;  // Incomplete until the end of this function.
  Result<std::string> text = ReadFile(path, compression::kMaxLayerReportBytes);
  if (!text) return PrintError(text.error().message);
  const Result<compression::LayerReport> report =
      compression::ParseLayerReport(*std::move(text), path, kind);
  if (!report) return PrintError(report.error().message);
  const auto imported = compression::ImportLayerReport(*report, path, options);
  if (!imported) {
    return PrintError(Quoted(path, 300) +
                      " was not imported completely: " + imported.error().message);
  }
  std::cout << LayerImportText(path, *report, *imported) << std::flush;
  outcome.complete = true;
  outcome.has_layers = true;
  outcome.model_count += imported->size();
  outcome.last_directory = options.directory;
}

// Returns `address` itself or, for an object in a bucket, its local copy in `folder`.
Result<std::string> LocalFile(const std::string& address, const fs::path& folder) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  if (!object_store::IsObjectUrl(address)) return address;
  const fs::path copy = folder / fs::path(address).filename();
  CBOARD_ASSIGN_OR_RETURN(const std::string content, writer::ReadRunFile(address, kMaxBytes));
  CBOARD_RETURN_IF_ERROR(WriteFileAtomically(copy, content));
  return copy.string();
}

void ImportFile(const std::string& path, const ImportFlags& flags, Directories& directories,
                Outcome& outcome) {
  if (const auto kind = KindOf(path, flags)) {
    const bool complete = outcome.complete;
    ImportLayers(path, *kind, flags, outcome);
    outcome.complete = outcome.complete && complete;
    return;
  }
  const Result<compression::BenchmarkFile> file = compression::ReadBenchmarkJson(path);
  if (!file) {
    PrintError(file.error().message);
    outcome.complete = false;
    return;
  }
  Progress progress("importing " + Quoted(path, 300), std::cerr, IsTerminal(STDERR_FILENO),
                    ProgressUnit::kItems);
  compression::ImportOptions options;
  options.directory = directories.For(file->name);
  options.step = flags.step;
  options.progress = [&](std::size_t done, std::size_t total) { progress.Update(done, total); };
  options.stop_requested = [] { return InterruptingSignal() != 0; };
  const Result<compression::ImportReport> report = compression::ImportBenchmark(*file, options);
  progress.Clear();
  if (!report) {
    PrintError(Quoted(path, 300) + " was not imported completely: " + report.error().message +
               "; to start again, delete that directory and repeat the import");
    outcome.complete = false;
    return;
  }
  std::cout << ImportText(path, *file, *report, flags.verbose) << std::flush;
  if (report->models.empty()) outcome.complete = false;
  outcome.model_count += report->models.size();
  outcome.last_directory = report->directory;
  outcome.last_hparams_directory = report->hparams_directory;
}

}  // namespace

int RunImport(Arguments arguments) {
  ImportFlags flags;
  CLI::App app(
      "Converts benchmark results and layer reports to runs for the board and TensorBoard.\n"
      "\n"
      "A FILE is JSON: {\"model\": {\"fp32\": {\"accuracy\": 0.71, \"latency_mean_ms\": 12.5, …},\n"
      "                          \"int8\": {…}, \"model_info\": {…}}, …}\n"
      "or a layer report of another program: AIMET's per_layer_*.json and\n"
      "min_max_ranges/*.json, the TFLite debugger's CSV, MCT's quant_report.json,\n"
      "neural-compressor's *_table.csv, or node data for Model Explorer.\n"
      "\n"
      "Example: compression-board import results/models_benchmark_results.json\n",
      "compression-board import");
  SetUsage(app, "compression-board import FILE... [FLAGS]");
  app.add_option("FILE", flags.files, "Files with benchmark results or layer reports")
      ->required()
      ->type_name("");
  app.add_option("--logdir", flags.logdir,
                 "Output directory (default\nruns/compression_benchmark/<name of FILE>, or "
                 "runs/layers for\nlayer reports); each of several FILEs gets a subdirectory")
      ->type_name("DIR");
  app.add_option("--format", flags.format,
                 "Format of FILE, if it is not detected: benchmark, aimet, tflite,\n"
                 "mct, neural-compressor or model-explorer")
      ->type_name("KIND")
      ->check([](const std::string& name) {
        return name == kBenchmark || compression::LayerReportKindOf(name)
                   ? std::string()
                   : "there is no kind " + Quoted(name) +
                         "; there are benchmark, aimet, tflite, mct, neural-compressor and "
                         "model-explorer";
      });
  app.add_option("--model", flags.model, "Model name for a layer report (default: name of FILE)")
      ->type_name("NAME");
  app.add_option("--variant", flags.variant, "Variant name for a layer report (default int8)")
      ->type_name("NAME");
  app.add_option("--step", flags.step, "Step number of all imported values (default 0)")
      ->type_name("N");
  app.add_flag("--verbose", flags.verbose,
               "Print every imported model and the values that were skipped");
  AddFsyncFlag(app);
  AddEndpointFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;

  Directories directories(flags);
  Outcome outcome;
  NoteInterrupts();  // The first Ctrl-C ends the import after the current model.
  for (const std::string& file : flags.files) {
    if (InterruptingSignal() == 0) {
      const TemporaryFolder copies;
      const Result<std::string> local = LocalFile(file, copies.path());
      if (!local) {
        PrintError(Quoted(file, 300) + " was not imported: " + local.error().message);
        outcome.complete = false;
        continue;
      }
      ImportFile(*local, flags, directories, outcome);
    } else {
      PrintError(
          Quoted(file, 300) +
          " was not imported, because the import was interrupted; run the same command again");
    }
  }
  if (outcome.model_count > 0) {
    const bool one_file = flags.files.size() == 1;
    const bool one_place = one_file || outcome.has_layers;
    const std::string logdir =
        ShellWord((one_place ? outcome.last_directory : directories.base()).string());
    std::cout << "\nTo look at it:\n  compression-board --logdir " << logdir
              << "\n  tensorboard --logdir " << logdir << '\n';
    if (one_file && !outcome.last_hparams_directory.empty()) {
      std::cout << "  tensorboard --logdir " << ShellWord(outcome.last_hparams_directory.string())
                << "  (the HPARAMS page)\n";
    }
  }
  if (InterruptingSignal() != 0) {
    std::cout.flush();
    EndBySignal(InterruptingSignal());
  }
  return outcome.complete ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
