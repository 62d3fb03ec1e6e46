// compression-board: runs the given command, or `serve` if no command is given.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/standard_streams.h"
#include "cboard/base/strings.h"
#include "cli/commands.h"

namespace cboard::cli {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(Arguments);
};

constexpr auto kCommands = std::to_array<Command>({
    {"serve", "show a log directory in the browser (the default)", RunServe},
    {"import", "convert benchmark JSON to runs", RunImport},
    {"inspect", "list the runs and tags of a log directory", RunInspect},
    {"report", "write a report on the cost of compression as one HTML file", RunReport},
    {"check", "check logged metrics against a contract, for CI", RunCheck},
    {"export", "export values as CSV, Parquet or JSON", RunExport},
    {"model", "show operators, bytes and quantization of a model file", RunModel},
    {"demo", "show a board with sample data", RunDemo},
    {"benchmark", "measure latency, memory, energy and accuracy of model files", RunBenchmark},
    {"compare", "find the layers that compression damaged, and why", RunCompare},
    {"quantize", "quantize an ONNX model and measure the cost", RunQuantize},
    {"tune", "quantize an ONNX model until an accuracy goal is met", RunTune},
    {"profile", "run a command and log its CPU, memory, power and GPU usage", RunProfile},
});

constexpr std::string_view kExamples = R"(
Examples:
  compression-board import results/models_benchmark_results.json
  compression-board --logdir runs/compression_benchmark
  compression-board inspect --logdir runs
  compression-board report --logdir runs -o report.html
  compression-board check contract.yaml --logdir runs
  compression-board model model_int8.onnx
  compression-board compare model_fp32.onnx model_int8.onnx
  compression-board quantize model.onnx --data samples.npz -o model_int8.onnx
  compression-board tune model.onnx --data samples.npz --max-drop 1% -o model_int8.onnx
  compression-board benchmark model_fp32.onnx model_int8.onnx --data val.npz
  compression-board profile -- python train.py

'compression-board COMMAND --help' explains a command and its flags.
)";

void PrintHelp(std::ostream& out) {
  out << "Compression Board: what did compression cost, where did it hurt, which variant to ship?\n"
         "\n"
         "Usage: compression-board [COMMAND] [FLAGS]\n"
         "       compression-board --logdir DIR       same as 'serve --logdir DIR'\n"
         "       compression-board --help | --version\n"
         "\n"
         "Commands:\n";
  for (const Command& command : kCommands) {
    out << "  " << command.name << std::string(11 - command.name.size(), ' ') << command.summary
        << '\n';
  }
  out << kExamples;
}

const Command* FindCommand(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : &*found;
}

int ReportUnknown(const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::is_directory(word, ignored)) {
    PrintError(Quoted(word) + " is a directory, not a command; to view it: compression-board " +
               "--logdir " + ShellWord(word));
  } else if (word.ends_with(".json")) {
    PrintError(Quoted(word) + " is not a command; to import it: compression-board import " +
               ShellWord(word));
  } else if (word.ends_with(".yaml") || word.ends_with(".yml")) {
    PrintError(Quoted(word) +
               " is not a command; to check runs against it: compression-board check " +
               ShellWord(word) + " --logdir DIR");
  } else {
    PrintError("there is no command " + Quoted(word) + "; 'compression-board --help' lists them");
  }
  return kExitUsage;
}

int Run(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    PrintHelp(std::cerr);
    return kExitUsage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    PrintHelp(std::cout);
    return kExitDone;
  }
  if (first == "--list-commands") {  // For shell completion.
    for (const Command& command : kCommands) std::cout << command.name << '\n';
    return kExitDone;
  }
  if (first == "--version" || first == "version") {
    std::cout << "compression-board " CBOARD_VERSION "\n";
    return kExitDone;
  }
  if (const Command* command = FindCommand(first)) {
    return command->run(Arguments(arguments).subspan(1));
  }
  if (!first.starts_with('-')) return ReportUnknown(first);
  // Accepts `--inspect` as a flag beside `--logdir`, as TensorBoard does.
  if (std::erase(arguments, "--inspect") > 0) return RunInspect(arguments);
  return RunServe(arguments);
}

// Reports an uncaught exception. Does not build a message of its own, because memory may be
// exhausted.
void ReportException(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    std::fputs(
        "compression-board: out of memory; allow more ('ulimit -v'), or give it less to read\n",
        stderr);
  } else if (dynamic_cast<const std::system_error*>(&error) != nullptr) {
    std::fprintf(stderr,
                 "compression-board: cannot start a thread: %s; allow more memory or processes "
                 "('ulimit -v', 'ulimit -u')\n",
                 error.what());
  } else {
    PrintError(error.what());
  }
}

// Reports uncaught exceptions of other threads; the main thread catches its own.
[[noreturn]] void EndWithMessage() {
  try {
    if (const std::exception_ptr raised = std::current_exception()) std::rethrow_exception(raised);
  } catch (const std::bad_alloc& error) {
    ReportException(error);
    std::_Exit(kExitFailed);
  } catch (...) {  // A bug: leaves a core dump.
  }
  std::abort();
}

}  // namespace
}  // namespace cboard::cli

int main(int argc, char** argv) {
  cboard::OccupyClosedStandardStreams();
  // Resets SIGPIPE: Python and some CI servers start programs with this signal ignored, and
  // `compression-board … | head` would then report a failed write instead of ending quietly.
  std::signal(SIGPIPE, SIG_DFL);
  // Ignores SIGXFSZ, so that a file over the size limit (`ulimit -f`) is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(cboard::cli::EndWithMessage);
  try {
    const int exit_code = cboard::cli::Run(std::vector<std::string>(argv + 1, argv + argc));
    if (std::cout.flush()) return exit_code;
    cboard::cli::PrintError("cannot write to standard output; check whether the disk is full");
    return exit_code == cboard::cli::kExitDone ? cboard::cli::kExitFailed : exit_code;
  } catch (const std::exception& error) {
    cboard::cli::ReportException(error);
    return cboard::cli::kExitFailed;
  }
}
