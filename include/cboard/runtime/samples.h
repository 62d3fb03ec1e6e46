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

// A source of samples. Not thread-safe. Memory contains one sample at a time, and the content of
// decompressed files.
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

// Opens samples for a model with these inputs. `data` is one of:
//
// - A .npz file with one array per input, or a .npy file for a model with one input. An array
//   belongs to the input with its name. Arrays that NumPy has named arr_0, arr_1, … belong to the
//   inputs in their order. If there is one input and one array, the name does not matter. The first
//   dimension of an array counts the samples. If the array has one dimension more than the input,
//   each index of the first dimension is a whole input; if it has one dimension less, the array is
//   a single sample. Floats are converted to the float type of the input, and integers to its
//   integer type if they fit.
// - A folder with PNG files, which are sorted by name. The model must have a single image as input:
//   [batch, channels, height, width] or [batch, height, width, channels], with 1 or 3 channels.
//   Images are resized bilinearly if the model has a fixed size.
// - Empty: random samples, which depend on the seed. Floats are normally distributed, inside the
//   given ranges. Integers are below 100 or the given limit. Inputs with "mask" in their name are
//   1, and inputs with "type" in their name are 0 or 1.
//
// Fails with kInvalidArgument if the data does not match the inputs; the error says what the model
// expects.
Result<std::unique_ptr<SampleSource>> OpenSamples(const std::filesystem::path& data,
                                                  std::span<const ModelValue> inputs,
                                                  const SampleOptions& options);

}  // namespace cboard::runtime
