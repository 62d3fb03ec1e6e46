// The commands of `compression-board`, one file each: command_<name>.cc.
//
// A command receives the arguments after its name, prints results to standard output and errors to
// standard error, and returns the exit code of the program:
//
//   0  done
//   1  not done, or only partly; the message says what failed and why
//   2  the command line is wrong
//
// `check` exits with 1 if a gate fails, and with 2 if checking was not possible. `profile` returns
// the exit code of the command that it runs.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace cboard::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

using Arguments = std::span<const std::string>;

int RunBenchmark(Arguments arguments);
int RunCheck(Arguments arguments);
int RunCompare(Arguments arguments);
int RunDemo(Arguments arguments);
int RunExport(Arguments arguments);
int RunImport(Arguments arguments);
int RunInspect(Arguments arguments);
int RunModel(Arguments arguments);
int RunProfile(Arguments arguments);
int RunQuantize(Arguments arguments);
int RunReport(Arguments arguments);
int RunServe(Arguments arguments);  // Also runs if no command is given.
int RunTune(Arguments arguments);

// Parses `arguments` into the variables that `app` is bound to. Returns an exit code if the command
// is finished: 0 after printing help, 2 after printing an error about wrong flags.
std::optional<int> ParseFlags(CLI::App& app, Arguments arguments);

// Adds the flag --fsync, for commands that write files: see SetDurableByDefault.
void AddFsyncFlag(CLI::App& app);

// Checks the value of a flag that counts something, for CLI::Option::check. Returns an error text,
// or an empty text if it is valid. CLI11 itself would read -1 as the largest unsigned number.
std::string CheckCount(const std::string& value);

// Replaces the usage line of the help, "Usage: …", if the line that CLI11 generates is wrong.
void SetUsage(CLI::App& app, const std::string& usage);

// Prints "compression-board: <message>" as a line on standard error. Control characters are
// escaped, so that names from files cannot control the terminal.
void PrintError(const std::string& message);

// Returns `text` as one word of a shell command, quoted only if necessary.
std::string ShellWord(const std::string& text);

}  // namespace cboard::cli
