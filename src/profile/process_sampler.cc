#include <unistd.h>

#include <cstdint>
#include <map>
#include <set>

#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

struct Process {
  int parent = 0;
  // CPU time of the process, and of its children that have ended and for which it has waited.
  std::uint64_t cpu_ticks = 0;
  std::uint64_t rss_pages = 0;
};

// Parses /proc/<pid>/stat, which has the columns pid (name) state ppid … utime stime cutime cstime
// … rss … The name may contain spaces and parentheses, so it ends at the last ')'.
std::optional<Process> ParseStat(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> words = Words(text.substr(name_end + 1));
  // Numbers of the fields in proc(5), in which the pid has the number 1. `state` is field 3; it is
  // the first word after the name.
  constexpr std::size_t kState = 3, kParent = 4, kUserTime = 14, kChildSystemTime = 17, kRss = 24;
  if (words.size() <= kRss - kState) return std::nullopt;
  const auto parent = ToNumber<int>(words[kParent - kState]);
  const auto rss = ToNumber<std::int64_t>(words[kRss - kState]);
  if (!parent || !rss || *rss < 0) return std::nullopt;
  Process process{.parent = *parent, .rss_pages = static_cast<std::uint64_t>(*rss)};
  for (std::size_t field = kUserTime; field <= kChildSystemTime; ++field) {
    process.cpu_ticks += ToNumber<std::uint64_t>(words[field - kState]).value_or(0);
  }
  return process;
}

class ProcessSampler final : public Sampler {
 public:
  ProcessSampler(std::filesystem::path proc, int pid) : proc_(std::move(proc)), pid_(pid) {}

  void Sample(double now_seconds, std::vector<Reading>& readings) override {
    const std::map<int, Process> tree = ReadTree();
    if (tree.empty()) return;
    std::uint64_t ticks = 0, pages = 0;
    for (const auto& [pid, process] : tree) {
      ticks += process.cpu_ticks;
      pages += process.rss_pages;
    }
    readings.push_back({"process/count", static_cast<double>(tree.size())});
    readings.push_back(
        {"memory/process_rss_mb", static_cast<double>(pages) * page_bytes_ / kBytesPerMb});
    // The sum decreases if a process ends and no other process waits for it.
    if (former_seconds_ && now_seconds > *former_seconds_ && ticks >= former_ticks_) {
      const double busy_seconds = static_cast<double>(ticks - former_ticks_) / ticks_per_second_;
      readings.push_back(
          {"process/cpu_percent", 100 * busy_seconds / (now_seconds - *former_seconds_)});
    }
    former_seconds_ = now_seconds;
    former_ticks_ = ticks;
  }

 private:
  // Returns the process and its descendants. Returns an empty map if the process has ended.
  std::map<int, Process> ReadTree() const {
    std::map<int, Process> all;
    for (const std::filesystem::path& entry : SortedEntries(proc_)) {
      const auto pid = ToNumber<int>(entry.filename().native());
      if (!pid) continue;
      const std::optional<std::string> text = ReadKernelFile(entry / "stat");
      if (!text) continue;  // The process has ended meanwhile.
      if (const std::optional<Process> process = ParseStat(*text)) all.emplace(*pid, *process);
    }
    std::multimap<int, int> children;
    for (const auto& [pid, process] : all) children.emplace(process.parent, pid);

    std::map<int, Process> tree;
    std::vector<int> pending = {pid_};
    while (!pending.empty()) {
      const int pid = pending.back();
      pending.pop_back();
      const auto found = all.find(pid);
      if (found == all.end() || !tree.insert(*found).second) continue;
      const auto [begin, end] = children.equal_range(pid);
      for (auto child = begin; child != end; ++child) pending.push_back(child->second);
    }
    return tree;
  }

  std::filesystem::path proc_;
  int pid_;
  double page_bytes_ = static_cast<double>(::sysconf(_SC_PAGESIZE));
  double ticks_per_second_ = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::optional<double> former_seconds_;
  std::uint64_t former_ticks_ = 0;
};

}  // namespace

std::unique_ptr<Sampler> MakeProcessSampler(std::filesystem::path proc, int pid) {
  return std::make_unique<ProcessSampler>(std::move(proc), pid);
}

}  // namespace cboard::profile
