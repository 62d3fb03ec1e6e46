// The commands of `compression-board`, one file each: command_<name>.cc.
//
// A command gets what follows its name on the command line, prints results to standard output and
// complaints to standard error, and returns the exit code of the program:
//
//   0  done
//   1  not done, or not all of it; the message says what and why
//   2  the command line is wrong
//
// `check` exits with 1 when a gate fails, and with 2 for all that kept it from checking. `profile`
// passes on the exit code of the command that it runs.
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
int RunServe(Arguments arguments);  // Also what runs when no command is named.
int RunTune(Arguments arguments);

// Parses `arguments` into the variables that `app` is bound to. Returns an exit code if the command
// is done: help was printed (0), or the flags are wrong and the error was printed (2).
std::optional<int> ParseFlags(CLI::App& app, Arguments arguments);

// Adds --fsync, for commands that write files: see SetDurableByDefault.
void AddFsyncFlag(CLI::App& app);

// Returns an error text for the value of a flag that counts something, or an empty text; for
// CLI::Option::check. CLI11 itself would read -1 as the largest unsigned number.
std::string CheckCount(const std::string& value);

// Replaces the first line of the help, "Usage: …", for what CLI11 cannot guess.
void SetUsage(CLI::App& app, const std::string& usage);

// Prints "compression-board: <message>" as a line on standard error. Control characters in it are
// escaped, so that names from files cannot steer the terminal.
void PrintError(const std::string& message);

// `text` as one word of a shell command, in quotes only if it needs them.
std::string ShellWord(const std::string& text);

}  // namespace cboard::cli
