// compression-board inspect: what is in a log directory.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/reader/logdir_scan.h"
#include "cli/commands.h"
#include "cli/inspect_report.h"
#include "cli/progress.h"

namespace cboard::cli {
namespace {

struct Flags {
  std::string logdir;
  std::string event_file;
  InspectFilter filter;
  bool json = false;
};

Result<LogdirScan> Scan(const Flags& flags) {
  Progress progress("reading events", std::cerr, IsTerminal(STDERR_FILENO));
  ScanOptions options;
  options.on_progress = [&](std::uint64_t done_bytes, std::uint64_t total_bytes) {
    progress.Update(done_bytes, total_bytes);
  };
  if (flags.event_file.empty()) return ScanLogdir(flags.logdir, options);

  const std::filesystem::path path = flags.event_file;
  CBOARD_RETURN_IF_ERROR(File::OpenForReading(path));
  LogdirScan scan;
  scan.runs.push_back(
      ScanRun({.name = ".", .directory = path.parent_path(), .files = {path}}, options));
  return scan;
}

// Damage is content to report; what the file system refused is missing from the report.
bool IsComplete(const LogdirScan& scan) {
  return scan.unreadable.empty() && std::ranges::all_of(scan.runs, [](const RunScan& run) {
           return std::ranges::none_of(run.files,
                                       [](const FileScan& file) { return bool(file.error); });
         });
}

// Empty when there is something to show.
std::string WhyNothing(const LogdirScan& scan, const Flags& flags) {
  if (!scan.runs.empty()) return {};
  return "there are no event files below " + Quoted(flags.logdir, 1000) +
         "; choose the directory that your training or 'compression-board import' wrote to";
}

}  // namespace

int RunInspect(Arguments arguments) {
  Flags flags;
  CLI::App app(
      "Lists the runs and tags of a log directory: kinds, counts, steps, newest events, damage.\n"
      "\n"
      "Example: compression-board inspect --logdir runs --tag loss\n",
      "compression-board inspect");
  SetUsage(app, "compression-board inspect --logdir DIR [FLAGS]");
  CLI::Option* logdir = app.add_option("--logdir", flags.logdir, "Directory with event files below")
                            ->type_name("DIR");
  app.add_option("--event_file", flags.event_file, "Only this event file")
      ->type_name("FILE")
      ->excludes(logdir);
  app.add_option("--run", flags.filter.run, "Only runs whose name contains this")
      ->type_name("TEXT");
  app.add_option("--tag", flags.filter.tag, "Only tags that contain this")->type_name("TEXT");
  app.add_flag("--json", flags.json, "As JSON, for other programs");
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (flags.logdir.empty() && flags.event_file.empty()) {
    Complain("say where to look: compression-board inspect --logdir DIR");
    return kExitUsage;
  }

  const Result<LogdirScan> scan = Scan(flags);
  if (!scan) {
    Complain(scan.error().message);
    return kExitFailed;
  }
  for (const Error& error : scan->unreadable) Complain(error.message);
  if (const std::string reason = WhyNothing(*scan, flags); !reason.empty()) {
    Complain(reason);
    return kExitFailed;
  }
  const std::string& shown = flags.event_file.empty() ? flags.logdir : flags.event_file;
  std::cout << (flags.json ? InspectJson(shown, *scan, flags.filter)
                           : InspectText(shown, *scan, flags.filter));
  return IsComplete(*scan) ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
