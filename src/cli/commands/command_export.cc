// compression-board export: writes the values of a log directory as CSV, Parquet or JSON, or for
// Model Explorer.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "cboard/base/strings.h"
#include "cli/commands.h"
#include "cli/exports/export_logs.h"
#include "cli/exports/export_tables.h"
#include "cli/exports/export_value.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/read_logs.h"

namespace cboard::cli {
namespace {

struct ExportFlags {
  LogdirFlags logs;
  std::string format = "csv";
  std::string runs;
  std::string tags;
  std::string out = "-";
  std::string metric;
  std::string variant;
  bool media = false;
};

Result<std::optional<reader::TextPattern>> PatternOf(const std::string& text,
                                                     std::string_view flag) {
  if (text.empty()) return std::nullopt;
  Result<reader::TextPattern> pattern = reader::TextPattern::Compile(text);
  if (!pattern) return Fail(Annotate(std::move(pattern).error(), flag));
  return std::optional<reader::TextPattern>(*std::move(pattern));
}

bool TakesAny(const ExportOptions& options, const reader::Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.runs, [&](const auto& run) {
    return options.Takes(*run) && std::ranges::any_of(run->tags, [&](const reader::Tag& tag) {
             return options.Takes(tag);
           });
  });
}

// Returns true if all values could be read.
Result<bool> Export(const ExportFlags& flags) {
  ExportOptions options{.media = flags.media};
  CBOARD_ASSIGN_OR_RETURN(options.runs, PatternOf(flags.runs, "--runs"));
  CBOARD_ASSIGN_OR_RETURN(options.tags, PatternOf(flags.tags, "--tags"));
  if (flags.format == "parquet" && flags.out == "-" && ::isatty(STDOUT_FILENO) != 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "Parquet is a binary format and is not written to a terminal; use -o runs.parquet "
                "or a pipe");
  }
  const bool is_folder = flags.out.ends_with('/');
  if (is_folder && flags.format != "parquet") {
    return Fail(
        ErrorCode::kInvalidArgument,
        "only --format parquet writes a directory of tables; give a file name for " + flags.format);
  }
  // Opens the output before reading the log, which takes long, so that an error is reported early.
  CBOARD_ASSIGN_OR_RETURN(Output out, Output::Open(is_folder ? "-" : flags.out));
  CBOARD_ASSIGN_OR_RETURN(const std::shared_ptr<const reader::Snapshot> snapshot,
                          ReadLogs(flags.logs));
  for (const Error& error : snapshot->unreadable) PrintError(error.message);

  if ((options.runs || options.tags) && !TakesAny(options, *snapshot)) {
    return Fail(ErrorCode::kNotFound,
                "no tag of any run matches --runs and --tags; 'compression-board inspect "
                "--logdir " +
                    ShellWord(flags.logs.text()) + "' lists all runs and tags");
  }
  if (flags.format == "model-explorer") {
    CBOARD_ASSIGN_OR_RETURN(const std::string json,
                            NodeDataJson(*snapshot, options, flags.metric, flags.variant));
    CBOARD_RETURN_IF_ERROR(out.Write(AsBytes(json)));
    CBOARD_RETURN_IF_ERROR(out.Finish());
    return IsComplete(*snapshot);
  }
  Progress progress("writing values", std::cerr, IsTerminal(STDERR_FILENO), ProgressUnit::kItems);
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.Update(done, total);
  };
  if (is_folder) {
    CBOARD_RETURN_IF_ERROR(ExportTables(*snapshot, options, flags.out));
    return IsComplete(*snapshot);
  }
  const auto export_values = flags.format == "csv"       ? ExportCsv
                             : flags.format == "parquet" ? ExportParquet
                                                         : ExportJson;
  CBOARD_RETURN_IF_ERROR(export_values(*snapshot, options, out));
  CBOARD_RETURN_IF_ERROR(out.Finish());
  return IsComplete(*snapshot);
}

}  // namespace

int RunExport(Arguments arguments) {
  ExportFlags flags;
  CLI::App app(
      "Exports a log directory: scalars as CSV or Parquet, all values as JSON, or layer metrics\n"
      "as node data for Model Explorer.\n"
      "\n"
      "Example: compression-board export --logdir runs --format csv --tags '^loss' -o loss.csv\n",
      "compression-board export");
  SetUsage(app, "compression-board export --logdir DIR [FLAGS]");
  flags.logs.AddTo(app);
  app.add_option("--format", flags.format,
                 "Output format: csv (default), parquet, json or model-explorer")
      ->type_name("KIND")
      ->check(CLI::IsMember({"csv", "parquet", "json", "model-explorer"}).description(""));
  app.add_option("--runs", flags.runs,
                 "Export only runs whose name matches this regular expression")
      ->type_name("REGEX");
  app.add_option("--tags", flags.tags, "Export only tags that match this regular expression")
      ->type_name("REGEX");
  app.add_option("--metric", flags.metric,
                 "With --format model-explorer: the layer metric to export (default\nsqnr_db, or "
                 "the first one that was logged)")
      ->type_name("NAME");
  app.add_option("--variant", flags.variant,
                 "With --format model-explorer: the variant to export, if there\n"
                 "are several")
      ->type_name("NAME");
  app.add_flag("--media", flags.media,
               "With --format json: include the bytes of images, audio and\n"
               "graphs as base64");
  app.add_option(
         "-o,--out", flags.out,
         "Output file, or s3://BUCKET/KEY; - writes to standard output\n(default). With --format "
         "parquet, DIR/ writes the tables scalars,\nmetrics and layers to a directory")
      ->type_name("FILE")
      ->capture_default_str();
  AddFsyncFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (flags.logs.empty()) {
    PrintError("no log directory is given; use: compression-board export --logdir DIR");
    return kExitUsage;
  }
  const Result<bool> is_complete = Export(flags);
  if (!is_complete) {
    PrintError(is_complete.error().message);
    return is_complete.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  return *is_complete ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
