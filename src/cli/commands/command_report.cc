// compression-board report: writes the costs and gains of compression into one HTML file.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cboard/analysis/report.h"
#include "cboard/base/clock.h"
#include "cboard/base/strings.h"
#include "cli/commands.h"
#include "cli/commands/read_contract.h"
#include "cli/output_file.h"
#include "cli/read_logs.h"

namespace cboard::cli {
namespace {

struct ReportFlags {
  LogdirFlags logs;
  std::string out = "report.html";
  std::string contract;
  std::vector<std::string> sections;
  analysis::ReportOptions report;
};

Result<std::set<analysis::ReportSection>> ParseSections(const std::vector<std::string>& names) {
  if (names.empty()) return analysis::AllSections();
  std::set<analysis::ReportSection> sections;
  for (const std::string& name : names) {
    const auto section = analysis::SectionNamed(name);
    if (!section) {
      std::string known;
      for (const auto each : analysis::AllSections()) {
        known += (known.empty() ? "" : ", ") + std::string(NameOf(each));
      }
      return Fail(ErrorCode::kInvalidArgument,
                  "unknown section " + Quoted(name) + "; expected one of " + known);
    }
    sections.insert(*section);
  }
  return sections;
}

// Returns true if all logs could be read.
Result<bool> Report(ReportFlags& flags) {
  analysis::ReportOptions& options = flags.report;
  CBOARD_ASSIGN_OR_RETURN(options.sections, ParseSections(flags.sections));
  if (!flags.contract.empty()) {
    CBOARD_ASSIGN_OR_RETURN(options.contract, ReadContract(flags.contract));
  }
  options.logdir = flags.logs.text();
  options.version = CBOARD_VERSION;
  options.made_at_seconds = WallTimeSeconds();
  // Opens the output before writing the report, which takes long, so that an error is reported
  // early.
  CBOARD_ASSIGN_OR_RETURN(Output out, Output::Open(flags.out));
  CBOARD_ASSIGN_OR_RETURN(const std::shared_ptr<const reader::Snapshot> snapshot,
                          ReadLogs(flags.logs));
  for (const Error& error : snapshot->unreadable) PrintError(error.message);
  CBOARD_ASSIGN_OR_RETURN(const std::string html, analysis::WriteReport(snapshot, options));
  CBOARD_RETURN_IF_ERROR(out.Write(AsBytes(html)));
  CBOARD_RETURN_IF_ERROR(out.Finish());
  if (flags.out != "-") std::cout << "wrote " << flags.out << '\n';
  return IsComplete(*snapshot);
}

}  // namespace

int RunReport(Arguments arguments) {
  ReportFlags flags;
  CLI::App app(
      "Writes a report as one HTML file: what compression cost, and which gates (limits for\n"
      "metrics) passed or failed. The file needs no network and no other files, and prints on A4.\n"
      "\n"
      "Example: compression-board report --logdir runs -o report.html\n",
      "compression-board report");
  SetUsage(app, "compression-board report --logdir DIR [FLAGS]");
  flags.logs.AddTo(app);
  app.add_option("-o,--out", flags.out,
                 "Output file (default report.html); - writes to standard output")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--title", flags.report.title, "Title of the report")
      ->type_name("TEXT")
      ->capture_default_str();
  app.add_option("--baseline", flags.report.baseline,
                 "Baseline variant (default: fp32 if it was logged)")
      ->type_name("VARIANT");
  app.add_option("--variant", flags.report.variant,
                 "Variant to compare with the baseline (default: int8 if it was\nlogged)")
      ->type_name("VARIANT");
  app.add_option("--model", flags.report.models,
                 "Include only this model; repeat the flag for more")
      ->type_name("MODEL");
  app.add_option("--policy", flags.report.policy,
                 "Built-in set of gates: balanced (default), accuracy first or\nsmallest")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--contract", flags.contract,
                 "Also check this contract: a YAML or JSON file with limits for\nmetrics")
      ->type_name("FILE");
  app.add_option("--section", flags.sections,
                 "Include only this section; repeat the flag for more: summary,\n"
                 "gates, pareto, models, aurora, layers, tuning, missing")
      ->type_name("NAME");
  AddFsyncFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (flags.logs.empty()) {
    PrintError("no log directory is given; use: compression-board report --logdir DIR");
    return kExitUsage;
  }
  const Result<bool> is_complete = Report(flags);
  if (!is_complete) {
    PrintError(is_complete.error().message);
    return is_complete.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  return *is_complete ? kExitDone : kExitFailed;
}

}  // namespace cboard::cli
