// The names of runs as paths: "eval/tune_1", "name/." of a named log directory, "." for itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "cboard/compression/names.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// "tune_1/." is the run of the log directory called tune_1: without its dot. "." stays.
inline std::string_view WithoutDot(std::string_view run) {
  return run.ends_with("/.") ? run.substr(0, run.size() - 2) : run;
}

// The part behind the last slash.
inline std::string_view LastPart(std::string_view run) {
  const std::size_t slash = run.rfind('/');
  return slash == std::string_view::npos ? run : run.substr(slash + 1);
}

// The part before it; "." when there is none.
inline std::string_view ParentOf(std::string_view run) {
  const std::size_t slash = run.rfind('/');
  return slash == std::string_view::npos ? std::string_view(".") : run.substr(0, slash);
}

// The experiment of a model: "again" for the run "again/alexnet", since importers name a run after
// its model, and models without another name are named after their directory, "a%2Fb" or not. "."
// in the log directory itself.
inline std::string_view PlaceAround(std::string_view model, std::string_view run) {
  run = WithoutDot(run);
  const std::string_view last = LastPart(run);
  if (last == model || last == compression::DirectoryNameOf(model)) run = ParentOf(run);
  return run.empty() ? std::string_view(".") : run;
}

// A model's name with the experiment or run it is from: "alexnet (again)". The log directory itself
// has no name.
inline std::string WithPlace(const std::string& model, std::string_view run) {
  const std::string_view place = PlaceAround(model, run);
  return place == "." ? model : model + " (" + std::string(place) + ")";
}

// A directory whose path ends with a name: "runs/eval/", as users type it, becomes "runs/eval".
inline std::filesystem::path DirectoryOf(const reader::Run& run) {
  const std::filesystem::path directory = run.directory.lexically_normal();
  return directory.has_filename() ? directory : directory.parent_path();
}

// How many parts a run has; "." has none.
inline std::ptrdiff_t PartCount(std::string_view run) {
  return run == "." ? 0 : std::ranges::count(run, '/') + 1;
}

// The name of the directory that is `experiment`, from a run at or below it.
inline std::string DirectoryOfExperiment(std::string_view experiment, const reader::Run& run) {
  std::filesystem::path directory = DirectoryOf(run);
  const std::ptrdiff_t below = PartCount(WithoutDot(run.name)) - PartCount(experiment);
  for (std::ptrdiff_t i = 0; i < below; ++i) directory = directory.parent_path();
  return directory.filename().string();
}

// When a run was last written to; 0 without events.
inline double NewestWallTime(const reader::Run& run) {
  return std::isfinite(run.newest_wall_time_seconds) ? run.newest_wall_time_seconds : 0;
}

// The model name if only the directory names the model: "eval" for "runs/eval"; for ".", the name
// of the log directory.
inline std::string ModelOfExperiment(std::string_view experiment, std::string_view log_directory) {
  const std::string_view name = LastPart(experiment == "." ? log_directory : experiment);
  return std::string(name.empty() ? std::string_view(".") : name);
}

// Finds the owner of a run from its place: a trial of tuning or a stage of quantization.

struct RunOwner {
  std::string model;
  std::string variant;  // baseline, tune_1, or the name of a stage.
};

using RunOwners = std::map<std::string, RunOwner, std::less<>>;

// By run.
RunOwners FindRunOwners(const reader::Snapshot& snapshot);

// nullptr if the run has no owner; "tune_1/." is the same as "tune_1".
const RunOwner* OwnerOf(const RunOwners& owners, std::string_view run);

}  // namespace cboard::analysis
