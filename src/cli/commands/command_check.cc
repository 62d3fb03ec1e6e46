// compression-board check: checks logged values against a contract, for CI.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "cboard/analysis/snapshot_table.h"
#include "cboard/base/strings.h"
#include "cli/commands.h"
#include "cli/commands/read_contract.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/read_logs.h"
#include "cli/reports/junit.h"
#include "cli/reports/reports.h"
#include "cli/reports/sarif.h"

namespace cboard::cli {
namespace {

struct CheckFlags {
  std::string contract;
  LogdirFlags logs;
  std::string junit;
  std::string sarif;
  bool json = false;

  std::string file() const { return std::filesystem::path(contract).filename().string(); }
};

struct Checked {
  analysis::Contract contract;
  analysis::ContractResult result;
  std::vector<analysis::ContractVerdict> verdicts;
};

Result<Checked> Check(const CheckFlags& flags) {
  CBOARD_ASSIGN_OR_RETURN(analysis::Contract contract, ReadContract(flags.contract));
  CBOARD_ASSIGN_OR_RETURN(const std::shared_ptr<const reader::Snapshot> snapshot,
                          ReadLogs(flags.logs));
  for (const Error& error : snapshot->unreadable) PrintError(error.message);
  const analysis::ComparisonTable table = analysis::TableOf(*snapshot);
  const std::vector<analysis::LayerSubject> subjects =
      analysis::LayerSubjectsOf(snapshot, table, contract.baseline);
  CBOARD_ASSIGN_OR_RETURN(
      analysis::ContractResult result,
      analysis::CheckContract(contract, table, analysis::SeriesOf(*snapshot), subjects));
  for (const analysis::ContractWarning& remark : result.remarks) {
    PrintError(flags.contract + ": " + remark.text);
  }
  // Fails if some files cannot be read. With the missing values, a contract that passes now might
  // fail.
  if (result.passed() && !IsComplete(*snapshot)) {
    return Fail(ErrorCode::kUnavailable,
                "some logs could not be read, so the result would be incomplete; make them "
                "readable, or choose other logs with --logdir");
  }
  std::vector<analysis::ContractVerdict> verdicts =
      analysis::VerdictsOnContract(contract, result, subjects);
  return Checked{std::move(contract), std::move(result), std::move(verdicts)};
}

Result<std::optional<Output>> OpenIfNamed(const std::string& path) {
  if (path.empty()) return std::nullopt;
  CBOARD_ASSIGN_OR_RETURN(Output out, Output::Open(path));
  return std::optional<Output>(std::move(out));
}

Result<void> WriteAll(Output& out, const std::string& text) {
  CBOARD_RETURN_IF_ERROR(out.Write(AsBytes(text)));
  return out.Finish();
}

// The JSON results also report if checking was not possible.
Result<void> WriteResults(const CheckFlags& flags, const Result<Checked>& checked,
                          std::optional<Output>& junit, std::optional<Output>& sarif) {
  if (junit) {
    CBOARD_RETURN_IF_ERROR(
        WriteAll(*junit, checked ? CheckJunit(flags.file(), checked->contract, checked->result)
                                 : ErrorJunit(flags.file(), checked.error().message)));
  }
  if (!sarif) return {};
  const SarifSource source{flags.contract, CBOARD_VERSION};
  return WriteAll(*sarif, checked ? CheckSarif(source, checked->contract, checked->result)
                                  : ErrorSarif(source, checked.error().message));
}

bool WantsColour() {
  const char* const no_colour = std::getenv("NO_COLOR");  // The convention of https://no-color.org.
  return IsTerminal(STDOUT_FILENO) && (no_colour == nullptr || *no_colour == '\0');
}

int PrintInputError(const Error& error) {
  PrintError(error.message);
  return analysis::kContractInputError;
}

}  // namespace

int RunCheck(Arguments arguments) {
  CheckFlags flags;
  CLI::App app(
      "Checks logged metrics against a contract: a YAML or JSON file with limits for metrics of\n"
      "variants and of their layers. docs/check.md shows how to write one.\n"
      "\n"
      "Exit code: 0 if all gates pass, 1 if a gate fails or its metric is missing, 2 if the\n"
      "contract or the logs cannot be read.\n"
      "\n"
      "Example: compression-board check contract.yaml --logdir runs --junit results.xml\n",
      "compression-board check");
  SetUsage(app, "compression-board check CONTRACT --logdir DIR [FLAGS]");
  app.add_option("CONTRACT", flags.contract,
                 "The contract: a YAML or JSON file with limits for metrics")
      ->required()
      ->type_name("");
  flags.logs.AddTo(app);
  app.add_option("--junit", flags.junit,
                 "Also write the results to this file as JUnit XML, for CI servers;\n- writes them "
                 "to standard output instead of the text")
      ->type_name("FILE");
  app.add_option("--sarif", flags.sarif,
                 "Also write the failing gates to this file as SARIF, for GitHub's\ncode scanning "
                 "and editors; - writes them to standard output")
      ->type_name("FILE");
  app.add_flag("--json", flags.json, "Print all results as JSON");
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (flags.logs.empty()) {
    PrintError("no log directory is given; use: compression-board check " +
               ShellWord(flags.contract) + " --logdir DIR");
    return kExitUsage;
  }
  if (flags.json + (flags.junit == "-") + (flags.sarif == "-") > 1) {
    PrintError(
        "only one of --json, '--junit -' and '--sarif -' can write to standard output; give "
        "--junit or --sarif a file name");
    return kExitUsage;
  }
  // Opens the file before the checks, which take long, so that an error is reported early.
  Result<std::optional<Output>> junit = OpenIfNamed(flags.junit);
  if (!junit) return PrintInputError(junit.error());
  Result<std::optional<Output>> sarif = OpenIfNamed(flags.sarif);
  if (!sarif) return PrintInputError(sarif.error());

  const Result<Checked> checked = Check(flags);
  if (const Result<void> written = WriteResults(flags, checked, *junit, *sarif); !written) {
    return PrintInputError(written.error());
  }
  if (!checked) return PrintInputError(checked.error());
  if (flags.json) {
    std::cout << CheckJson(flags.file(), checked->contract, checked->result, checked->verdicts);
  } else if (flags.junit != "-" && flags.sarif != "-") {
    std::cout << CheckText(checked->contract, checked->result, WantsColour(), checked->verdicts);
  }
  return checked->result.exit_code();
}

}  // namespace cboard::cli
