// The kinds of SampleSource, and what they share.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cboard/runtime/samples.h"

namespace cboard::runtime {

// Elements that belong to a source and are given out as views.
struct OwnedTensor {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;

  TensorView view() const { return {dtype, elements.data(), shape}; }
};

// The same values as `dtype`: any float as any other, integers and bool where all of them fit.
// Fails with kInvalidArgument otherwise.
Result<OwnedTensor> ConvertTo(DType dtype, const TensorView& tensor);

Result<std::unique_ptr<SampleSource>> OpenArraySamples(const std::filesystem::path& file,
                                                       std::span<const ModelValue> inputs,
                                                       const SampleOptions& options);
Result<std::unique_ptr<SampleSource>> OpenImageSamples(const std::filesystem::path& folder,
                                                       std::span<const ModelValue> inputs,
                                                       const SampleOptions& options);
Result<std::unique_ptr<SampleSource>> GenerateSamples(std::span<const ModelValue> inputs,
                                                      const SampleOptions& options);

}  // namespace cboard::runtime
