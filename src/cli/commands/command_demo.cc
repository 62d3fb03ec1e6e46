// compression-board demo: shows the board with real data on every page.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cboard/base/strings.h"
#include "cboard/compression/benchmark_import.h"
#include "cboard/demo/demo_board.h"
#include "cli/commands.h"
#include "cli/commands/demo_files.h"
#include "cli/commands/serve_config.h"
#include "cli/progress.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "digits.csv.gz";

// Returns the directory above bin/compression-board: the prefix of an installed program, or
// build/<preset>.
fs::path ProgramPrefix() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
}

// Returns the directory with the data files of an installed program.
fs::path InstalledData() { return ProgramPrefix() / "share" / "compression-board"; }

// Returns the build directory of the source tree in which the program was built.
fs::path BuildDirectory() { return ProgramPrefix().parent_path(); }

fs::path FindData() {
  std::error_code ignored;
  const fs::path source = BuildDirectory().parent_path() / "data";
  if (!fs::is_directory(InstalledData(), ignored) && fs::is_directory(source, ignored)) {
    return source;
  }
  return InstalledData();
}

// Searches the directory of the published results, the installed data, and the directory of
// scripts/fetch-digits.
fs::path FindDigits(const fs::path& data) {
  std::error_code ignored;
  for (const fs::path& folder : {data, InstalledData(), BuildDirectory() / "digits"}) {
    if (fs::exists(folder / kDigits, ignored)) return folder / kDigits;
  }
  return data / kDigits;
}

Result<void> ImportPublishedFigures(const fs::path& data, const fs::path& logdir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(data, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    compression::ImportOptions options;
    options.directory = logdir / "published" / file.stem();
    options.tags =
        // Logs flat tags, because groups would create a thousand runs with one point each.
        compression::TagScheme::kFlat;
    CBOARD_ASSIGN_OR_RETURN(const compression::ImportReport report,
                            compression::ImportBenchmark(file, options));
    std::cout << "demo: " << file.filename().native() << ": "
              << Plural(report.models.size(), "model") << std::endl;
  }
  return {};
}

class Lines {
 public:
  explicit Lines(bool is_terminal) : is_terminal_(is_terminal) {}

  // Shows progress: on a terminal as one line that changes; otherwise as one line per task, when
  // the task begins.
  void Show(std::string_view line) {
    if (is_terminal_) {
      std::cout << "\r\x1b[Kdemo: " << line << std::flush;
      return;
    }
    const std::string_view task = line.substr(0, line.find(','));
    if (task != task_) std::cout << "demo: " << task << std::endl;
    task_ = task;
  }
  void End() {
    if (is_terminal_) std::cout << "\r\x1b[K" << std::flush;
  }

 private:
  bool is_terminal_;
  std::string task_;
};

Result<void> WriteLogs(const fs::path& data, const fs::path& digits, const fs::path& logdir) {
  // Checks for errors before it replaces the files of the last demo.
  std::error_code ignored;
  if (!fs::is_directory(data, ignored)) {
    return Fail(
        ErrorCode::kNotFound,
        "cannot find the directory " + Quoted(data.native(), 1000) +
            " with the published results; set --data to the directory 'data' of the source tree");
  }
  if (!fs::exists(digits, ignored)) {
    return Fail(ErrorCode::kNotFound,
                Quoted(digits.native(), 1000) +
                    " does not exist; run scripts/fetch-digits of the source tree, or set --digits "
                    "to sklearn/datasets/data/digits.csv.gz of scikit-learn");
  }
  CBOARD_ASSIGN_OR_RETURN(const fs::path unfinished, BeginDemo(logdir));
  CBOARD_RETURN_IF_ERROR(ImportPublishedFigures(data, unfinished));
  Lines lines(IsTerminal(STDOUT_FILENO));
  const Result<void> written = demo::WriteDemoBoard(
      {.digits = digits, .logdir = unfinished, .on_progress = [&](std::string_view line) {
         lines.Show(line);
       }});
  lines.End();
  CBOARD_RETURN_IF_ERROR(written);
  return FinishDemo(logdir);
}

}  // namespace

int RunDemo(Arguments arguments) {
  std::string logdir = "runs/demo";
  std::string data = FindData();
  std::string digits;
  bool write_only = false;
  CLI::App app(
      "Shows a board with real data on every page: published results of FP32 and INT8 models,\n"
      "and a small digit classifier that is trained, quantized, pruned and measured on this\n"
      "machine.\n"
      "\n"
      "Also accepts the flags of 'serve', such as --port and --open.\n"
      "\n"
      "Example: compression-board demo --open\n",
      "compression-board demo");
  SetUsage(app, "compression-board demo [FLAGS]");
  app.add_option("--logdir", logdir,
                 "Directory for the logs (default runs/demo); the logs of an\nearlier demo are "
                 "replaced, other files are kept")
      ->type_name("DIR");
  app.add_option("--data", data,
                 "Directory with the benchmark results of published models that the\ndemo shows "
                 "(default: installed with the program, or 'data' in\nthe source tree)")
      ->type_name("DIR");
  app.add_option("--digits", digits,
                 "Path of the file digits.csv.gz of scikit-learn (default: in the\n--data "
                 "directory, or where scripts/fetch-digits stores it)")
      ->type_name("FILE");
  app.add_flag("--write_only,--write-only", write_only,
               "Write the logs and exit without serving them");
  app.allow_extras();
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  std::vector<std::string> serve = {"--logdir", logdir};
  std::ranges::copy(app.remaining(), std::back_inserter(serve));
  // Reports wrong flags before the training starts.
  ServeConfig config;
  if (const std::optional<int> exit_code = ParseServeFlags(serve, config)) return *exit_code;

  if (const Result<void> written =
          WriteLogs(data, digits.empty() ? FindDigits(data) : fs::path(digits), logdir);
      !written) {
    PrintError(written.error().message);
    return kExitFailed;
  }
  if (write_only) {
    std::cout << "demo: view it with: compression-board --logdir " << ShellWord(logdir) << '\n';
    return kExitDone;
  }
  return RunServe(serve);
}

}  // namespace cboard::cli
