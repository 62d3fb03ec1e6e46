#include "cboard/compression/benchmark_import.h"

#include <array>
#include <memory>
#include <system_error>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "compression/parallel.h"

namespace cboard {
namespace {

std::size_t CountEventFiles(const std::filesystem::path& directory) {
  std::size_t count = 0;
  std::error_code error;  // A directory that cannot be listed has none that we know of.
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().native().find("tfevents") != std::string::npos) ++count;
  }
  return count;
}

// runs/x -> runs/x_hparams, runs/x/ too.
std::filesystem::path Sibling(const std::filesystem::path& directory) {
  std::filesystem::path sibling = directory.lexically_normal();
  if (!sibling.has_filename()) sibling = sibling.parent_path();
  // "." has no name to append to; there, a sibling would be outside.
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
    if (options_.hparams && !file_.models.empty()) {
      report_.hparams_directory = Sibling(report_.directory);
      rows_ = std::make_unique<CompressionWriter>(report_.hparams_directory, writer_options_);
      CBOARD_RETURN_IF_ERROR(rows_->status());
    }
    CBOARD_RETURN_IF_ERROR(ForEachInParallel(
        file_.models.size(),
        [&](std::size_t thread, std::size_t index) { return Write(thread, index); },
        options_.progress));
    if (rows_) CBOARD_RETURN_IF_ERROR(rows_->Close());

    report_.models.reserve(written_.size());
    for (Written& written : written_) {
      report_.models.push_back(std::move(written.model));
      for (std::string& warning : written.warnings) report_.warnings.push_back(std::move(warning));
    }
    return std::move(report_);
  }

 private:
  // What a thread has to say about a model; put together when all are done, in the file's order.
  struct Written {
    ImportedModel model;
    std::vector<std::string> warnings;
  };

  Result<void> Write(std::size_t thread, std::size_t index) {
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
    if (const std::size_t before = CountEventFiles(written.model.run); before > 0) {
      written.warnings.push_back("run " + Quoted(written.model.run.native(), 300) +
                                 " already has " + HumanCount(before) +
                                 " event files; TensorBoard shows the new values beside the old "
                                 "ones, so delete the directory to start afresh");
    }
    CompressionOptions writer_options = writer_options_;
    // Thousands of short-lived files: an I/O thread for each would cost more than the writing.
    if (!io_threads_[thread]) io_threads_[thread] = MakeIoThread();
    writer_options.writer.io_thread = io_threads_[thread];
    CompressionWriter writer(written.model.run, writer_options);
    CBOARD_RETURN_IF_ERROR(writer.status());
    CBOARD_ASSIGN_OR_RETURN(LogReport logged, writer.LogModel(model, options_.step));
    CBOARD_RETURN_IF_ERROR(writer.Close());
    written.model.values = logged.tags.size();
    written.model.omitted = std::move(logged.omitted);
    return WriteRows(model);
  }

  Result<void> WriteRows(const ModelComparison& model) {
    if (!rows_) return {};
    for (const Variant& variant : model.variants) {
      if (variant.name == model.baseline && model.variants.size() > 1) continue;
      CBOARD_RETURN_IF_ERROR(rows_->LogCompressionHParams(model, variant.name, {}, options_.step));
    }
    return {};
  }

  const BenchmarkFile& file_;
  const ImportOptions& options_;
  CompressionOptions writer_options_;
  std::vector<Written> written_;  // One per model; each thread touches only those it was given.
  std::array<std::shared_ptr<IoThread>, kMaxThreads> io_threads_;
  std::unique_ptr<CompressionWriter> rows_;
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

}  // namespace cboard
