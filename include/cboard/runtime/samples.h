// Inputs for a model: from files, or random data.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto samples, OpenSamples("digits.npz", session.inputs(), {}));
//   for (std::size_t i = 0; i < samples->size(); ++i) {
//     CBOARD_ASSIGN_OR_RETURN(const auto inputs, samples->Read(i));
//     session.Run(inputs);
//   }
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/input_shapes.h"
#include "cboard/runtime/session.h"

namespace cboard::runtime {

struct SampleOptions {
  std::size_t max_samples = 20;

  // Rows of an array that go into one run where the model leaves its first dimension open.
  std::int64_t batch_size = 1;

  // For generated inputs: the size of other dimensions that the model leaves open, and shapes by
  // input name, in which -1 is an open size.
  std::int64_t open_dimension = 32;
  model::InputShapes shapes;
  // … and inputs of floats by name whose values fill a range: three deviations to either side of
  // its middle, and none beyond. Others have the mean 0 and the deviation 1.
  struct ValueRange {
    float low = 0;
    float high = 0;
  };
  std::map<std::string, ValueRange> ranges;
  // … and inputs of integers by name whose values are below a limit, such as the rows of a table.
  std::map<std::string, std::int64_t> integer_limits;
  std::uint64_t seed = 0;

  // For images: value = (byte * scale - mean) / deviation, by channel. Inputs of uint8 take the
  // bytes unchanged.
  float image_scale = 1.0f / 255;
  std::array<float, 3> image_mean = {0, 0, 0};
  std::array<float, 3> image_deviation = {1, 1, 1};
};

// Not thread-safe. One sample is in memory at a time, besides files that are compressed.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual std::size_t size() const = 0;

  // Description for reports: "digits.npz", "generated, seed 0". Statistics of generated inputs
  // describe the model, not its use.
  virtual std::string Description() const = 0;
  virtual bool is_generated() const { return false; }

  // All inputs of sample `index`, which is less than size(). They live until the next call.
  virtual Result<std::vector<NamedTensor>> Read(std::size_t index) = 0;
};

// Samples from `data`, for a model with these inputs:
//
// - .npz: an array per input, found by its name (by order, where NumPy has named them arr_0 …; any
//   name, where the model has one input and the file one array); .npy: the only input. The first
//   dimension counts samples; an array with a dimension more than the input holds whole inputs, one
//   with a dimension less is one sample. Floats become the model's kind of float, integers its
//   kind of integer where they fit.
// - a folder: its PNG files in the order of their names, for a model with one image input, [batch,
//   channels, height, width] or [batch, height, width, channels] with 1 or 3 channels. Resized
//   bilinearly where the model fixes another size.
// - empty: generated from the seed. Floats are normally distributed, in their ranges if these are
//   given; integers are below 100 or their limit; inputs whose name contains "mask" are one, and
//   those with "type" are 0 or 1.
//
// Fails with kInvalidArgument and what the model wants when the data does not fit.
Result<std::unique_ptr<SampleSource>> OpenSamples(const std::filesystem::path& data,
                                                  std::span<const ModelValue> inputs,
                                                  const SampleOptions& options);

}  // namespace cboard::runtime
