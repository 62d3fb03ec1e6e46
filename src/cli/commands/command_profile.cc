// compression-board profile: runs a command and logs hardware metrics at the same time.
#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>

#include "cboard/base/strings.h"
#include "cboard/profile/hardware_monitor.h"
#include "cboard/writer/summary_writer.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/read_logs.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

// Exit codes of failures. They are the same as in env, nohup and timeout, and differ from the exit
// codes that the profiled command usually has.
constexpr int kExitProfilerFailed = 125;
constexpr int kExitCannotRun = 126;
constexpr int kExitCommandNotFound = 127;

// Returns a directory such as runs/profile/<program>_20261115-203300.
std::filesystem::path DefaultDirectory(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&now, &local);
  std::array<char, 32> time;
  std::strftime(time.data(), time.size(), "_%Y%m%d-%H%M%S", &local);
  return std::filesystem::path("runs") / "profile" / (name + time.data());
}

std::string Rounded(double value) {
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), std::abs(value) < 10 ? "%.1f" : "%.0f", value);
  return buffer.data();
}

// Returns a summary such as "45.2 s of CPU time, 812 MB at its peak; the machine: CPU 45 % (max 98
// %), package 12 W (150 J)".
std::string Describe(const ChildExit& end, const profile::HardwareSummary& summary) {
  std::vector<std::string> parts;
  if (const profile::MetricSummary* cpu = summary.Find("cpu/percent")) {
    parts.push_back("CPU " + Rounded(cpu->mean) + " % (max " + Rounded(cpu->max) + " %)");
  }
  const auto add_power = [&](const std::string& name, const std::string& label) {
    const profile::MetricSummary* power = summary.Find(name);
    if (power == nullptr || !power->energy_j) return;
    parts.push_back(label + " " + Rounded(power->mean) + " W (" + Rounded(*power->energy_j) +
                    " J)");
  };
  add_power("power/package_w", "package");
  for (int i = 0; i < 64; ++i) {
    const std::string gpu = "gpu_" + std::to_string(i);
    if (const profile::MetricSummary* use = summary.Find(gpu + "/utilization_percent")) {
      parts.push_back("GPU " + std::to_string(i) + " " + Rounded(use->mean) + " %");
    }
    add_power(gpu + "/power_w", "GPU " + std::to_string(i));
  }
  std::string machine;
  for (const std::string& part : parts) machine += (machine.empty() ? "" : ", ") + part;
  return "the command took " + Rounded(end.cpu_seconds) + " s of CPU time and " +
         Rounded(end.peak_rss_mb) +
         " MB at its peak; the machine: " + (machine.empty() ? "too short to measure" : machine);
}

// Logs the counters of the kernel, because they are exact and sampled values are not.
void LogCommand(const ChildExit& end, const profile::HardwareSummary& summary,
                SummaryWriter& writer) {
  const auto step = static_cast<std::int64_t>(summary.sample_count);
  const auto log = [&](const char* name, double value) {
    static_cast<void>(writer.AddScalar("hardware/command/" + std::string(name), value, step));
  };
  log("wall_seconds", end.wall_seconds);
  log("cpu_seconds", end.cpu_seconds);
  log("peak_rss_mb", end.peak_rss_mb);
  log("exit_code", end.exit_code);
}

std::string DescribeEnd(const ChildExit& end) {
  if (end.signal) {
    const char* name = ::sigabbrev_np(*end.signal);
    return "was ended by " + (name ? "SIG" + std::string(name) : std::to_string(*end.signal));
  }
  return "ended with exit code " + std::to_string(end.exit_code);
}

int ExitCodeOf(const Error& error) {
  return error.code == ErrorCode::kNotFound ? kExitCommandNotFound : kExitCannotRun;
}

}  // namespace

int RunProfile(Arguments arguments) {
  std::string logdir;
  double interval_seconds = 1;
  CLI::App app(
      "Runs COMMAND and logs CPU, memory, disk, network, power and GPU while it runs. The "
      "tags\nbegin with hardware/. Signals are passed to COMMAND, and its exit code is returned; "
      "125\nmeans that profiling itself failed, 126 and 127 that COMMAND could not be run.\n"
      "\n"
      "Example: compression-board profile --interval 0.5 -- python train.py --epochs 3\n",
      "compression-board profile");
  SetUsage(app, "compression-board profile [FLAGS] -- COMMAND...");
  app.add_option("--logdir", logdir, "Directory of the run (default runs/profile/<program>_<time>)")
      ->type_name("DIR");
  app.add_option("--interval", interval_seconds, "Seconds between two measurements (default 1)")
      ->type_name("SECONDS");
  AddFsyncFlag(app);
  AddEndpointFlag(app);
  app.prefix_command();
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  // The condition is negated, so that NaN is refused, too.
  if (!(interval_seconds >= 0.01 && interval_seconds <= 3600)) {
    PrintError("--interval must be between 0.01 and 3600 seconds");
    return kExitUsage;
  }
  std::vector<std::string> command = app.remaining();
  if (!command.empty() && command.front() == "--") command.erase(command.begin());
  if (command.empty() || command.front().starts_with("-")) {
    PrintError(command.empty()
                   ? "no command is given; use: compression-board profile [FLAGS] -- COMMAND..."
                   : "there is no flag " + Quoted(command.front()));
    return kExitUsage;
  }

  // Looks up the command before the log is opened, so that a command that cannot be run does not
  // leave an empty run.
  if (const Result<void> found = ChildProcess::Find(command.front()); !found) {
    PrintError(found.error().message);
    return ExitCodeOf(found.error());
  }
  const SignalGate gate;  // Created before the writer starts its thread.
  TerminalState terminal;
  SummaryWriter writer(logdir.empty() ? DefaultDirectory(command.front())
                                      : std::filesystem::path(logdir));
  if (const Result<void> status = writer.status(); !status) {
    PrintError(status.error().message);
    return kExitProfilerFailed;
  }
  Result<ChildProcess> child = ChildProcess::Start(command, gate);
  if (!child) {
    PrintError(child.error().message);
    return ExitCodeOf(child.error());
  }
  HardwareMonitor monitor(writer, {.interval_seconds = interval_seconds, .pid = child->pid()});
  if (const Result<void> started = monitor.Start(); !started) PrintError(started.error().message);
  const ChildExit end = child->Wait();
  if (end.signal) terminal.Restore();
  const profile::HardwareSummary summary = monitor.Stop();
  LogCommand(end, summary, writer);
  const Result<void> closed = writer.Close();
  if (!closed) PrintError("the log could not be written completely: " + closed.error().message);

  const std::string directory = Quoted(writer.directory().native(), 1000);
  PrintError(Quoted(command.front()) + " " + DescribeEnd(end) + " after " +
             Rounded(end.wall_seconds) + " s; " + Plural(summary.sample_count, "sample") +
             (closed ? " in " : ", not all of them in ") + directory);
  PrintError(Describe(end, summary));
  PrintError("to view the log, run: compression-board --logdir " +
             ShellWord(writer.directory().native()));
  if (end.signal) EndBySignal(*end.signal);
  return end.exit_code;
}

}  // namespace cboard::cli
