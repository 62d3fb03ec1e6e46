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
  // Number of the most damaged parts that are restored, one at a time, to measure the output SQNR;
  // up to six more for the layers with the largest loss; 0 for no such runs. For ONNX files only.
  // Takes up to 11 more runs over all samples, and up to 41 more if these parts do not cost the
  // most.
  std::size_t verify = 0;
  // Time limit for runs that restore parts to find the cause of a broken or degraded output. 0
  // means no such runs: layers are then ranked by their own metrics. It limits the CPU time and
  // also the elapsed time of these runs. With two or more processors CPU time ends first unless the
  // machine is busy, so other programs rarely change the result. A run that has started is
  // finished.
  double blame_seconds = 60;
  // A function that is called with the elapsed and the maximum seconds of the runs that find
  // causes; returning false stops them.
  std::function<bool(double seconds, double max_seconds)> blame_progress;
  // A function that is called with the number of finished samples and of all samples; returning
  // false stops the comparison.
  std::function<bool(std::size_t done, std::size_t total)> progress;
  // A function that is called with the finished and all sample runs of `verify`. Returning false
  // stops; the results so far are kept.
  std::function<bool(std::size_t done, std::size_t total)> verify_progress;
};

}  // namespace cboard::compare
