#include "cboard/compression/benchmark_import.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "cboard/writer/run_file.h"
#include "compression/writing/hparams_row.h"

namespace cboard::compression {
namespace {

// Returns a sibling directory: runs/x_hparams for runs/x and for runs/x/.
std::filesystem::path Sibling(const std::filesystem::path& directory) {
  // Keeps both slashes after "s3:" in the address of a bucket. Path functions would replace them by
  // a single slash.
  const bool is_address = directory.native().find("://") != std::string::npos;
  std::filesystem::path sibling = is_address ? directory : directory.lexically_normal();
  if (!sibling.has_filename()) sibling = sibling.parent_path();
  // "." has no name to which a suffix can be appended, and a sibling of "." would be outside of the
  // directory.
  if (sibling.filename() == "." || sibling.filename() == ".." || !sibling.has_filename()) {
    return directory / "hparams";
  }
  sibling += "_hparams";
  return sibling;
}

class Importer {
 public:
  Importer(const BenchmarkFile& file, const ImportOptions& options)
      : file_(file),
        options_(options),
        writer_options_{.tags = options.tags, .aurora = options.aurora, .writer = {}},
        written_(file.models.size()) {
    report_.directory = options.directory;
    if (report_.directory.empty()) {
      report_.directory =
          std::filesystem::path("runs") / "compression_benchmark" / DirectoryNameOf(file.name);
    }
    report_.skipped = file.skipped;
    report_.warnings = file.warnings;
  }

  Result<ImportReport> Run() {
    if (options_.hparams) report_.hparams_directory = Sibling(report_.directory);
    const Result<void> outcome = ForEachInParallel(
        file_.models.size(),
        [&](std::size_t thread, std::size_t index) { return Write(thread, index); },
        options_.progress);
    if (!outcome) return Fail(WithMissingModels(outcome.error()));

    std::size_t rows = 0;
    report_.models.reserve(written_.size());
    for (Written& written : written_) {
      rows += written.rows;
      report_.models.push_back(std::move(written.model));
      for (std::string& warning : written.warnings) report_.warnings.push_back(std::move(warning));
    }
    if (rows == 0) report_.hparams_directory.clear();
    WarnOfFormerRuns();
    return std::move(report_);
  }

 private:
  // Result of one model, written by one thread. Results are merged in the order of the file when
  // all threads have finished.
  struct Written {
    ImportedModel model;
    std::vector<std::string> warnings;
    std::size_t rows = 0;          // Number of rows of the HParams page.
    bool had_event_files = false;  // True if the run had event files before this import.
    bool complete = false;
  };

  // Lists the models that are missing after a failure, so that users know which runs are complete.
  Error WithMissingModels(Error error) const {
    constexpr std::size_t kMaxNames = 5;
    std::size_t missing = 0;
    std::string names;
    for (std::size_t i = 0; i < written_.size(); ++i) {
      if (written_[i].complete || ++missing > kMaxNames) continue;
      names += (names.empty() ? "" : ", ") + Quoted(file_.models[i].model);
    }
    if (missing > kMaxNames) names += " and " + HumanCount(missing - kMaxNames) + " more";
    error.message += "; " + HumanCount(written_.size() - missing) + " of " +
                     HumanCount(written_.size()) + " models are whole in " +
                     Quoted(report_.directory.native(), 300) +
                     "; not written, or only in part: " + names;
    return error;
  }

  void WarnOfFormerRuns() {
    const auto had_some = [](const Written& written) { return written.had_event_files; };
    const auto first = std::ranges::find_if(written_, had_some);
    if (first == written_.end()) return;
    const auto index = static_cast<std::size_t>(first - written_.begin());
    const auto others = std::ranges::count_if(written_, had_some) - 1;
    report_.warnings.push_back(
        "run " + Quoted(report_.models[index].run.native(), 300) +
        (others > 0 ? " and " + HumanCount(static_cast<std::size_t>(others)) +
                          (others == 1 ? " other" : " others")
                    : "") +
        " had event files before; TensorBoard shows the new values beside the old ones, so delete "
        "the directory to start afresh");
  }

  Result<void> Write(std::size_t thread, std::size_t index) {
    if (options_.stop_requested && options_.stop_requested()) {
      return Fail(ErrorCode::kUnavailable,
                  "the import was interrupted; run it again to complete it");
    }
    const ModelComparison& model = file_.models[index];
    if (options_.baseline.empty() || options_.baseline == model.baseline ||
        model.Find(options_.baseline) == nullptr) {
      return Write(thread, model, written_[index]);
    }
    ModelComparison changed = model;
    changed.baseline = options_.baseline;
    return Write(thread, changed, written_[index]);
  }

  Result<void> Write(std::size_t thread, const ModelComparison& model, Written& written) {
    const std::string name = DirectoryNameOf(model.model);
    written.model.model = model.model;
    written.model.run = report_.directory / name;
    if (name != model.model) {
      written.warnings.push_back("model " + Quoted(model.model) + " is in the directory " +
                                 Quoted(name, kMaxNameBytes));
    }
    written.had_event_files = !writer::EventFilesIn(written.model.run).empty();
    CompressionOptions writer_options = writer_options_;
    // Uses one I/O thread per worker: thousands of short-lived files with their own threads would
    // cost more than the writing.
    if (!io_threads_[thread]) io_threads_[thread] = writer::MakeIoThread();
    writer_options.writer.io_thread = io_threads_[thread];
    CompressionWriter writer(written.model.run, writer_options);
    CBOARD_RETURN_IF_ERROR(writer.status());
    CBOARD_ASSIGN_OR_RETURN(LogReport logged, writer.LogModel(model, options_.step));
    CBOARD_RETURN_IF_ERROR(writer.Close());
    written.model.values = logged.tags.size();
    written.model.omitted = std::move(logged.omitted);
    CBOARD_RETURN_IF_ERROR(WriteRows(model, writer_options, written));
    written.complete = true;
    return {};
  }

  Result<void> WriteRows(const ModelComparison& model, const CompressionOptions& writer_options,
                         Written& written) {
    if (!options_.hparams) return {};
    for (const Variant& variant : model.variants) {
      if (variant.name == model.baseline && model.variants.size() > 1) continue;
      CBOARD_ASSIGN_OR_RETURN(const LogReport row,
                              WriteHParamsRow(report_.hparams_directory, model, variant.name, {},
                                              writer_options, options_.step));
      if (!row.tags.empty()) ++written.rows;
    }
    return {};
  }

  const BenchmarkFile& file_;
  const ImportOptions& options_;
  CompressionOptions writer_options_;
  std::vector<Written> written_;  // One per model; a thread changes only its own entries.
  std::array<std::shared_ptr<writer::IoThread>, kMaxThreads> io_threads_;
  ImportReport report_;
};

}  // namespace

Result<ImportReport> ImportBenchmark(const BenchmarkFile& file, const ImportOptions& options) {
  return Importer(file, options).Run();
}

Result<ImportReport> ImportBenchmark(const std::filesystem::path& json,
                                     const ImportOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const BenchmarkFile file, ReadBenchmarkJson(json));
  return ImportBenchmark(file, options);
}

}  // namespace cboard::compression
