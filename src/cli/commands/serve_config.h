// Reads the configuration of `compression-board serve` from flags, the environment and a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cli/commands.h"
#include "cli/read_logs.h"

namespace cboard::cli {

struct ServeConfig {
  LogdirFlags logdirs;
  double reload_interval_seconds = 5;
  // Maximum number of points per series in responses of TensorBoard's HTTP API, by plugin.
  std::map<std::string, std::size_t> samples_per_plugin;

  std::string host = "127.0.0.1";  // "::" if --bind_all is given.
  std::uint16_t port = 6006;
  std::vector<std::string> allowed_hosts;
  // Origins that may show the board in a frame, such as "http://localhost:8888" or
  // "http://localhost:*".
  std::vector<std::string> allowed_frames;
  std::string path_prefix;  // "/board", or empty.
  std::size_t max_connections = 10'000;

  std::string token;                               // Empty: no token is required.
  std::filesystem::path tls_certificate, tls_key;  // Both or neither are set.
  std::filesystem::path access_log;                // Empty: no access log. "-": standard output.

  bool read_only = false;      // Write nothing into the log directories.
  bool allow_delete = false;   // Let the page delete runs.
  bool allow_control = false;  // Let the page stop a running tuning.

  std::string window_title = "Compression Board";
  bool open = false;

  bool binds_everything() const { return host == "::" || host == "0.0.0.0"; }
};

// Parses the flags into `config`. Returns an exit code if the command is finished; messages were
// already printed.
std::optional<int> ParseServeFlags(Arguments arguments, ServeConfig& config);

}  // namespace cboard::cli
