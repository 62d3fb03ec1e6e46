// Runs the samples once and collects statistics of activations.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/quantize/statistics.h"
#include "cboard/runtime/samples.h"
#include "quantize/graph/graph.h"
#include "runtime/sample_sources.h"

namespace cboard::quantize {

// The inputs of one held-out sample, which stay in memory.
struct HeldSample {
  std::vector<std::string> names;
  std::vector<runtime::OwnedTensor> tensors;

  std::vector<runtime::NamedTensor> views() const;
  static HeldSample CopyOf(std::span<const runtime::NamedTensor> inputs);
};

struct CalibrationRequest {
  // Activations, including inputs of the graph, with the dimension of their channels.
  std::map<std::string, std::size_t> tensors;
  std::vector<std::string> gram_tensors;  // Tensors whose Gram matrix is needed.
  std::size_t threads = 0;
  std::size_t max_held_samples = 16;
  std::function<bool(std::size_t done, std::size_t total)> progress;
};

struct Calibration {
  Statistics statistics;
  // Held-out samples, which statistics do not contain. Exception: with fewer than 8 samples,
  // statistics contain them, and `is_held_out` is false.
  std::vector<HeldSample> held_samples;
  bool is_held_out = false;
};

// Reads every sample once. Fails if the model does not run on a sample, and with kInvalidArgument
// if a sample contains NaN or infinity, or if all samples are zero.
Result<Calibration> Calibrate(const Graph& graph, runtime::SampleSource& samples,
                              const CalibrationRequest& request,
                              const runtime::SessionOptions& session);

// Adds one tensor to its statistics.
Result<void> AddTensor(const TensorView& tensor, bool with_gram, TensorStatistics& statistics);
void Merge(const TensorStatistics& sample, TensorStatistics& total);

}  // namespace cboard::quantize
