// The implementations of SampleSource, and the code that they share.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cboard/runtime/samples.h"

namespace cboard::runtime {

// A tensor that owns its elements. A sample source returns views of it.
struct OwnedTensor {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;

  TensorView view() const { return {dtype, elements.data(), shape}; }
};

// Converts a tensor to `dtype`. Any float type can be converted to any other; integers and bool
// only if all values fit. Otherwise fails with kInvalidArgument.
Result<OwnedTensor> ConvertTo(DType dtype, const TensorView& tensor);

// Returns the name of the data, and how much of it is used: "x.npz, the first 20 of 300".
std::string DescribeUsed(std::string name, std::size_t used, std::size_t count);

Result<std::unique_ptr<SampleSource>> OpenArraySamples(const std::filesystem::path& file,
                                                       std::span<const ModelValue> inputs,
                                                       const SampleOptions& options);
Result<std::unique_ptr<SampleSource>> OpenImageSamples(const std::filesystem::path& folder,
                                                       std::span<const ModelValue> inputs,
                                                       const SampleOptions& options);
Result<std::unique_ptr<SampleSource>> GenerateSamples(std::span<const ModelValue> inputs,
                                                      const SampleOptions& options);

}  // namespace cboard::runtime
