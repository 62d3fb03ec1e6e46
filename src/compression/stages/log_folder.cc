#include <array>
#include <ctime>
#include <mutex>

#include "cboard/base/clock.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/compression/stage_logger.h"

namespace cboard::compression {
namespace {

std::mutex folder_mutex;
std::optional<std::filesystem::path> log_folder;  // Guarded by folder_mutex.

// Returns a name such as logs_16112026_022117, in local time, as the toolkit names it.
std::string NameAt(double seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  ::localtime_r(&time, &parts);
  std::array<char, 40> buffer;
  return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "logs_%d%m%Y_%H%M%S", &parts)};
}

}  // namespace

Result<std::filesystem::path> SetLogFolder(const std::filesystem::path& folder,
                                           const Clock* clock) {
  const std::lock_guard lock(folder_mutex);
  if (folder.empty()) {
    log_folder.reset();
    return std::filesystem::path();
  }
  const std::string name = NameAt((clock == nullptr ? SystemClock() : *clock).NowSeconds());
  std::filesystem::path directory = folder / name;
  std::error_code error;
  for (int n = 2; std::filesystem::exists(directory, error); ++n) {
    directory = folder / (name + "_" + std::to_string(n));
  }
  CBOARD_RETURN_IF_ERROR(CreateDirectories(directory));
  log_folder = directory;
  return directory;
}

std::optional<std::filesystem::path> LogFolder() {
  const std::lock_guard lock(folder_mutex);
  return log_folder;
}

}  // namespace cboard::compression
