// Options of a comparison of two models: samples, limits, runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/input_shapes.h"

namespace cboard::compare {

inline constexpr std::size_t kDefaultSamples = 20;

struct CompareOptions {
  std::filesystem::path data;  // Path of the samples, as for OpenSamples; empty: random samples.
  // Shapes of random samples if the model files have dynamic sizes.
  model::InputShapes shapes;
  // Maximum number of samples; 0 compares weights only. If it is not set, kDefaultSamples is used
  // if ONNX Runtime is found and can run both models; otherwise only weights are compared. If
  // `samples`, `data`, `shapes` or `verify` is set, a model that cannot run is an error.
  std::optional<std::size_t> samples;
  bool histograms = false;
  Thresholds thresholds;
  // Number of the most damaged parts that `verify` restores, one at a time, to measure the output
  // SQNR. Up to six more parts are restored for the layers with the largest loss. 0 means no such
  // runs. For ONNX files only. Takes up to 11 more runs over all samples, and up to 41 more runs if
  // these parts do not cost the most.
  std::size_t verify = 0;
  // Time limit for runs that restore parts to find the cause of a broken or degraded output. 0
  // means no such runs: layers are then ranked by their own metrics. The limit applies to the CPU
  // time and to the elapsed time of these runs. With two or more processors, the CPU time reaches
  // the limit first unless the machine is busy, so other programs rarely change the result. The
  // search does not interrupt a run that has started.
  double blame_seconds = 60;
  // A function that is called during the runs that find causes, with the elapsed seconds and the
  // time limit in seconds. Returning false stops these runs.
  std::function<bool(double seconds, double max_seconds)> blame_progress;
  // A function that is called with the number of finished samples and the number of all samples.
  // Returning false stops the comparison.
  std::function<bool(std::size_t done, std::size_t total)> progress;
  // A function that is called with the number of finished runs and the number of all runs over
  // samples for `verify`. Returning false stops `verify`; the results so far are kept.
  std::function<bool(std::size_t done, std::size_t total)> verify_progress;
};

}  // namespace cboard::compare
