#include "cli/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <string_view>

#include "cboard/base/strings.h"
#include "profile/kernel_text.h"

namespace cboard::cli {
namespace {

using profile::ReadKernelFile;
using profile::ReadNumber;
using profile::ToNumber;
using profile::Words;

// Returns the number after a name at the beginning of a line.
std::optional<std::uint64_t> ReadField(const std::filesystem::path& file, std::string_view name) {
  const std::optional<std::string> text = ReadKernelFile(file);
  if (!text) return std::nullopt;
  for (const std::string_view line : Split(*text, '\n')) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() >= 2 && words[0] == name) return ToNumber<std::uint64_t>(words[1]);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> FreeMemoryInContainer(const std::filesystem::path& root) {
  const std::filesystem::path group = root / "sys/fs/cgroup";
  const auto most = ReadNumber<std::uint64_t>(group / "memory.max");
  const auto used = ReadNumber<std::uint64_t>(group / "memory.current");
  if (!most || !used) return std::nullopt;  // The text "max" means that there is no limit.
  // Counts the page cache as free memory.
  const std::uint64_t files = ReadField(group / "memory.stat", "inactive_file").value_or(0);
  const std::uint64_t kept = *used - std::min(*used, files);
  return *most - std::min(*most, kept);
}

}  // namespace

std::optional<std::uint64_t> FreeMemory(const std::filesystem::path& root) {
  const auto kilobytes = ReadField(root / "proc/meminfo", "MemAvailable:");
  const std::optional<std::uint64_t> in_container = FreeMemoryInContainer(root);
  if (!kilobytes) return in_container;
  return std::min(*kilobytes * 1024, in_container.value_or(*kilobytes * 1024));
}

void LimitToFreeMemory() {
  // The kernel also counts memory that is reserved and not used. Sanitizers reserve terabytes.
  const auto taken = ReadField("/proc/self/status", "VmData:");
  const std::optional<std::uint64_t> spare = FreeMemory();
  rlimit limit{};
  if (!taken || !spare || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t most = *taken * 1024 + *spare / 16 * 15;  // Leaves memory for other processes.
  if (most >= limit.rlim_cur) return;                    // RLIM_INFINITY is the largest number.
  limit.rlim_cur = most;
  ::setrlimit(RLIMIT_DATA, &limit);  // If this fails, there is no limit.
}

}  // namespace cboard::cli
