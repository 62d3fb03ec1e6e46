// Reads inputs for a model from files, or generates random inputs.
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

  // Number of rows of an array that one run gets, if the first dimension of the model's input is
  // dynamic.
  std::int64_t batch_size = 1;

  // The shapes of random inputs: the size of all dynamic dimensions, and the shapes of single
  // inputs by name. In these shapes, -1 is a dynamic size.
  std::int64_t open_dimension = 32;
  model::InputShapes shapes;
  // The ranges of random float inputs, by the name of the input. Values are normally distributed
  // around the middle of the range. Its ends are three standard deviations from the middle, and no
  // value is outside. Inputs without a range have mean 0 and standard deviation 1.
  struct ValueRange {
    float low = 0;
    float high = 0;
  };
  std::map<std::string, ValueRange> ranges;
  // The upper limits of random integer inputs, by the name of the input. Values are below the
  // limit, which is for example the number of rows of a table.
  std::map<std::string, std::int64_t> integer_limits;
  std::uint64_t seed = 0;

  // The normalization of images: value = (byte * scale - mean) / deviation, with a mean and a
  // deviation per channel. Inputs of type uint8 get the bytes unchanged.
  float image_scale = 1.0f / 255;
  std::array<float, 3> image_mean = {0, 0, 0};
  std::array<float, 3> image_deviation = {1, 1, 1};
};

// A source of samples. Not thread-safe. It keeps one sample in memory at a time, and decompressed
// files.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual std::size_t size() const = 0;

  // Returns a description for reports: "digits.npz", or "generated, seed 0" for random samples.
  // Statistics of random samples describe the model, not its use with real data.
  virtual std::string Description() const = 0;
  virtual bool is_generated() const { return false; }

  // Reads all inputs of sample `index`, which must be below size(). The inputs are valid until the
  // next call.
  virtual Result<std::vector<NamedTensor>> Read(std::size_t index) = 0;
};

// Opens samples from `data`, for a model with these inputs:
//
// - .npz: one array per input, matched by name (by order if NumPy named them arr_0 …; any name if
//   the model has one input and the file one array); .npy: the only input. The first dimension
//   counts samples. An array with one dimension more than the input contains whole inputs; an array
//   with one dimension less is one sample. Floats are converted to the model's float type, integers
//   to its integer type if they fit.
// - a folder: its PNG files, sorted by name, for a model with one image input, [batch, channels,
//   height, width] or [batch, height, width, channels] with 1 or 3 channels. Images are resized
//   bilinearly if the model has a fixed size.
// - empty: random samples from the seed. Floats are normally distributed, in their ranges if these
//   are given; integers are below 100 or their limit; inputs whose name contains "mask" are 1, and
//   those whose name contains "type" are 0 or 1.
//
// Fails with kInvalidArgument if the data does not fit, and names what the model expects.
Result<std::unique_ptr<SampleSource>> OpenSamples(const std::filesystem::path& data,
                                                  std::span<const ModelValue> inputs,
                                                  const SampleOptions& options);

}  // namespace cboard::runtime
