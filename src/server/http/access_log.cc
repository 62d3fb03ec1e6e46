#include "cboard/server/access_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <ctime>

#include "cboard/base/clock.h"
#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "server/http/token.h"

namespace cboard::server {
namespace {

// 2024-05-01T12:00:00.123Z
std::string TimeText(double time_seconds) {
  const double whole = std::floor(time_seconds);
  const auto seconds = static_cast<std::time_t>(whole);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text = {};
  const int length =
      std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                    1900 + parts.tm_year, 1 + parts.tm_mon, parts.tm_mday, parts.tm_hour,
                    parts.tm_min, parts.tm_sec, static_cast<int>((time_seconds - whole) * 1000));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

class LogFile final : public AccessLog {
 public:
  explicit LogFile(std::optional<File> file) : file_(std::move(file)) {}

  void Write(const ResponseRecord& record) override {
    const std::string line = AccessLogLine(record, WallTimeSeconds());
    const int descriptor = file_ ? file_->descriptor() : STDOUT_FILENO;
    // Writes each line with one call. For a file that was opened in append mode, a call is atomic
    // between threads.
    [[maybe_unused]] const ssize_t written = ::write(descriptor, line.data(), line.size());
  }

 private:
  const std::optional<File> file_;  // Empty: log to standard output.
};

}  // namespace

std::string AccessLogLine(const ResponseRecord& record, double time_seconds) {
  JsonWriter json;
  json.BeginObject();
  json.Key("time").Value(TimeText(time_seconds));
  json.Key("client").Value(record.client);
  json.Key("method").Value(record.method);
  json.Key("target").Value(TakeToken(record.target).target);
  json.Key("status").Value(record.status);
  json.Key("bytes").Value(record.sent_bytes);
  const double milliseconds = std::chrono::duration<double, std::milli>(record.took).count();
  json.Key("duration_ms").Value(std::round(milliseconds * 1000) / 1000);
  json.Key("route").Value(record.route);
  json.Key("user_agent").Value(record.user_agent);
  json.EndObject();
  return json.Take() + "\n";
}

Result<std::shared_ptr<AccessLog>> AccessLog::Open(const std::filesystem::path& path) {
  if (path == "-") return std::make_shared<LogFile>(std::nullopt);
  // Creates the log readable by its owner only, because it shows who viewed which page. An existing
  // file keeps its mode.
  if (const int created = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      created >= 0) {
    ::close(created);
  }
  CBOARD_ASSIGN_OR_RETURN(File file, File::OpenForAppending(path));
  return std::make_shared<LogFile>(std::move(file));
}

}  // namespace cboard::server
