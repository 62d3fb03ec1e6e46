// compression-board inspect: lists the content of a log directory.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/commands.h"
#include "cli/read_logs.h"
#include "cli/reports/reports.h"

namespace cboard::cli {

int RunInspect(Arguments arguments) {
  LogdirFlags logs;
  std::string event_file;
  InspectFilter filter;
  bool json = false;
  CLI::App app(
      "Lists the runs and tags of a log directory: their kind, number of values,\nsteps, newest "
      "event and damaged parts.\n"
      "\n"
      "Example: compression-board inspect --logdir runs --tag loss\n",
      "compression-board inspect");
  SetUsage(app, "compression-board inspect --logdir DIR [FLAGS]");
  logs.AddTo(app);
  app.add_option("--event_file", event_file, "Inspect only this event file")
      ->type_name("FILE")
      ->excludes("--logdir")
      ->excludes("--logdir_spec");
  app.add_option("--run", filter.run, "List only runs whose name contains this text")
      ->type_name("TEXT");
  app.add_option("--tag", filter.tag, "List only tags that contain this text")->type_name("TEXT");
  app.add_flag("--json", json, "Print the result as JSON");
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (logs.empty() && event_file.empty()) {
    PrintError("no log directory is given; use: compression-board inspect --logdir DIR");
    return kExitUsage;
  }

  const Result<std::shared_ptr<const reader::Snapshot>> snapshot =
      event_file.empty() ? ReadLogs(logs) : reader::ReadEventFile(event_file);
  if (!snapshot) {
    PrintError(snapshot.error().message);
    return kExitFailed;
  }
  for (const Error& error : (*snapshot)->unreadable) PrintError(error.message);
  if (const Result<void> found = CheckFilter(**snapshot, filter); !found) {
    PrintError(found.error().message);
    return kExitFailed;
  }
  const std::string& shown = event_file.empty() ? logs.text() : event_file;
  std::cout << (json ? InspectJson(shown, **snapshot, filter)
                     : InspectText(shown, **snapshot, filter));
  return IsComplete(**snapshot) ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
