#include "analysis/runs/run_path.h"
#include "analysis/table/cached_facts.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {

std::optional<TrialLocation> FindTrial(std::string_view run, std::string_view directory) {
  const std::string_view path = WithoutDot(run);
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (std::optional<compression::TrialName> name =
            compression::ParseTrialName(path.substr(start, end - start))) {
      // Prefers the directory name to the name that the user gave to the log directory.
      if (end == path.size() && !name->has_accuracy) {
        const std::optional<compression::TrialName> real = compression::ParseTrialName(directory);
        if (real && real->number == name->number) name = real;
      }
      return TrialLocation{
          .experiment = start == 0 ? std::string(".") : std::string(path.substr(0, start - 1)),
          .run = std::string(path.substr(0, end)),
          .name = *std::move(name)};
    }
    start = end + 1;
  }
  return std::nullopt;
}

const std::optional<TrialLocation>& TrialOf(const reader::Run& run) {
  struct CachedTrial {
    std::optional<TrialLocation> place;
  };
  return run.notes
      .Get<CachedTrial>(
          [&] { return CachedTrial{FindTrial(run.name, DirectoryOf(run).filename().string())}; })
      .place;
}

}  // namespace cboard::analysis
