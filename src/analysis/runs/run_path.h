// Handles run names as paths: "eval/tune_1"; "name/." for a named log directory; "." for an unnamed
// log directory.
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

// Removes the dot of a log directory's own run: "tune_1/." becomes "tune_1". "." does not change.
inline std::string_view WithoutDot(std::string_view run) {
  return run.ends_with("/.") ? run.substr(0, run.size() - 2) : run;
}

// Returns the part after the last slash.
inline std::string_view LastPart(std::string_view run) {
  const std::size_t slash = run.rfind('/');
  return slash == std::string_view::npos ? run : run.substr(slash + 1);
}

// Returns the part before the last slash; "." if there is no slash.
inline std::string_view ParentOf(std::string_view run) {
  const std::size_t slash = run.rfind('/');
  return slash == std::string_view::npos ? std::string_view(".") : run.substr(0, slash);
}

// Returns the experiment of a model: "again" for the run "again/alexnet". Importers name a run
// after its model, and a model without a name is named after its directory. In both cases "/" may
// be written as "%2F". Returns "." for the log directory itself.
inline std::string_view PlaceAround(std::string_view model, std::string_view run) {
  run = WithoutDot(run);
  const std::string_view last = LastPart(run);
  if (last == model || last == compression::DirectoryNameOf(model)) run = ParentOf(run);
  return run.empty() ? std::string_view(".") : run;
}

// Returns the name of a model with its experiment or run: "alexnet (again)". If this is the log
// directory itself, returns the name alone.
inline std::string WithPlace(const std::string& model, std::string_view run) {
  const std::string_view place = PlaceAround(model, run);
  return place == "." ? model : model + " (" + std::string(place) + ")";
}

// Removes slashes at the end of a directory that a user typed: "runs/eval/" becomes "runs/eval".
inline std::filesystem::path DirectoryOf(const reader::Run& run) {
  const std::filesystem::path directory = run.directory.lexically_normal();
  return directory.has_filename() ? directory : directory.parent_path();
}

// Returns the number of parts of a run name; "." has none.
inline std::ptrdiff_t PartCount(std::string_view run) {
  return run == "." ? 0 : std::ranges::count(run, '/') + 1;
}

// Returns the directory of `experiment`, for a run inside the experiment.
inline std::string DirectoryOfExperiment(std::string_view experiment, const reader::Run& run) {
  std::filesystem::path directory = DirectoryOf(run);
  const std::ptrdiff_t below = PartCount(WithoutDot(run.name)) - PartCount(experiment);
  for (std::ptrdiff_t i = 0; i < below; ++i) directory = directory.parent_path();
  return directory.filename().string();
}

// Returns the time of the last event of a run; 0 without events.
inline double NewestWallTime(const reader::Run& run) {
  return std::isfinite(run.newest_wall_time_seconds) ? run.newest_wall_time_seconds : 0;
}

// Returns the model name for a model that only its directory names: "eval" for "runs/eval"; for
// ".", the name of the log directory.
inline std::string ModelOfExperiment(std::string_view experiment, std::string_view log_directory) {
  const std::string_view name = LastPart(experiment == "." ? log_directory : experiment);
  return std::string(name.empty() ? std::string_view(".") : name);
}

// Finds the model and variant of a run from its path: a trial of a tuning or a stage of
// quantization.

struct RunOwner {
  std::string model;
  std::string variant;  // baseline, tune_1, or the name of a stage.
};

using RunOwners = std::map<std::string, RunOwner, std::less<>>;

// By run.
RunOwners FindRunOwners(const reader::Snapshot& snapshot);

// Returns the owner of a run; nullptr if it has none. "tune_1/." is the same run as "tune_1".
const RunOwner* OwnerOf(const RunOwners& owners, std::string_view run);

}  // namespace cboard::analysis
