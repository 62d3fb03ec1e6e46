// The access log: one JSON line per response.
//
//   {"time":"2024-05-01T12:00:00.123Z","client":"127.0.0.1","method":"GET","target":"/api/v1/runs",
//    "status":200,"bytes":512,"duration_ms":0.21,"route":"api","user_agent":"curl/8.0"}
//
// Tokens in targets are left out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cboard/base/result.h"
#include "cboard/server/http_server.h"

namespace cboard::server {

// Formats one line of the access log, including the line break. `time_seconds` is since 1970.
std::string AccessLogLine(const ResponseRecord& record, double time_seconds);

// Thread-safe.
class AccessLog {
 public:
  // Opens a log that appends to the file, or writes to standard output if `path` is "-".
  static Result<std::shared_ptr<AccessLog>> Open(const std::filesystem::path& path);

  virtual ~AccessLog() = default;

  // Writes one line of the access log in a single write. If the disk is full, the line is lost and
  // the request continues.
  virtual void Write(const ResponseRecord& record) = 0;
};

}  // namespace cboard::server
