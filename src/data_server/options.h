// The command line of the data server: TensorBoard's own flags, so that TensorBoard can start it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "data_server/sampling/sample_limits.h"

namespace cboard::data_server {

struct Options {
  std::filesystem::path logdir;
  std::string host = "localhost";
  int port = 6806;
  std::optional<std::chrono::seconds> reload = std::chrono::seconds(5);  // Nothing: once.
  SampleLimits samples;
  std::filesystem::path port_file;   // Empty: the address goes to stderr.
  std::filesystem::path error_file;  // Empty: errors go to stderr.
  bool die_after_stdin = false;
  bool use_cache = true;
  int verbosity = 0;
};

// Exit statuses that TensorBoard knows.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadLogdir = 8;
inline constexpr int kExitCannotListen = 9;

// The options, or the status to exit with after --help, --version or a wrong flag; the text for
// that is printed.
std::variant<Options, int> ParseOptions(int argc, const char* const* argv);

// Whether the directory can be served; a missing one can, it is waited for. The error tells the
// user what to do.
Result<void> CheckLogdir(const std::filesystem::path& logdir);

// The addresses to listen on for a host name: loopback only. Fails with kInvalidArgument.
Result<std::vector<std::string>> LoopbackAddresses(const std::string& host);

}  // namespace cboard::data_server
