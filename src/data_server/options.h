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
  std::optional<std::chrono::seconds> reload = std::chrono::seconds(5);  // nullopt: load only once.
  SampleLimits samples;
  std::filesystem::path port_file;   // Empty: the address is written to stderr.
  std::filesystem::path error_file;  // Empty: errors are written to stderr.
  bool die_after_stdin = false;
  bool use_cache = true;
  int verbosity = 0;
};

// The exit status codes that TensorBoard knows.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadLogdir = 8;
inline constexpr int kExitCannotListen = 9;

// The options. After --help, --version or a wrong flag: the exit status; the text was already
// printed.
std::variant<Options, int> ParseOptions(int argc, const char* const* argv);

// Checks whether the directory can be served. A missing directory can be served: the server waits
// for it. The error tells the user what to do.
Result<void> CheckLogdir(const std::filesystem::path& logdir);

// The loopback addresses of a host name, on which the server listens. Fails with kInvalidArgument
// for other hosts.
Result<std::vector<std::string>> LoopbackAddresses(const std::string& host);

}  // namespace cboard::data_server
