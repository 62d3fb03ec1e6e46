// One run over the samples that collects statistics of activations.
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

// Inputs of one sample that stay in memory.
struct HeldSample {
  std::vector<std::string> names;
  std::vector<runtime::OwnedTensor> tensors;

  std::vector<runtime::NamedTensor> views() const;
  static HeldSample CopyOf(std::span<const runtime::NamedTensor> inputs);
};

struct CalibrationRequest {
  // Activations, also inputs of the graph, and the dimension of their channels.
  std::map<std::string, std::size_t> tensors;
  std::vector<std::string> gram_tensors;  // Those whose Gram matrix is needed.
  std::size_t threads = 0;
  std::size_t max_held_samples = 16;
  std::function<bool(std::size_t done, std::size_t total)> progress;
};

struct Calibration {
  Statistics statistics;
  // Samples that statistics do not contain. With fewer than 8 samples, statistics contain them,
  // too, as `is_held_out` then says.
  std::vector<HeldSample> held_samples;
  bool is_held_out = false;
};

// Reads every sample once. Fails when the model does not run on a sample, and with kInvalidArgument
// when samples contain NaN or infinity or all of them are zero.
Result<Calibration> Calibrate(const Graph& graph, runtime::SampleSource& samples,
                              const CalibrationRequest& request,
                              const runtime::SessionOptions& session);

// Adds one tensor to its statistics.
Result<void> AddTensor(const TensorView& tensor, bool with_gram, TensorStatistics& statistics);
void Merge(const TensorStatistics& sample, TensorStatistics& total);

}  // namespace cboard::quantize
