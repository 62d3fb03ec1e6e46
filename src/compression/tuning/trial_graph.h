// The parts of a TensorFlow GraphDef that the log of a trial needs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::compression {

// Owns the opened file. Not thread-safe.
class TrialGraph {
 public:
  // Fails as OpenModel does, and with kInvalidArgument for other formats.
  static Result<TrialGraph> Open(const std::filesystem::path& file);

  // "int8" as soon as one operation requantizes, "fp32" otherwise.
  std::string_view precision() const { return is_quantized_ ? "int8" : "fp32"; }

  // The GraphDef without the values of its constants, which no viewer shows and which may be
  // hundreds of megabytes.
  Result<std::string> Trimmed() const;

  // Calls `visit` with each constant that a convolution, product, normalization or addition of
  // biases takes as a weight or bias, in the order of the graph. One that cannot be read comes with
  // its error.
  void ForEachWeight(const std::function<void(std::string_view name,
                                              const Result<TensorView>& values)>& visit) const;

  // The scale and zero point of 8-bit codes that the node puts out; nothing when the graph does not
  // say its range.
  struct Scale {
    float scale = 1;
    std::int32_t zero_point = 0;
  };
  std::optional<Scale> ScaleOfOutput(std::string_view node, DType codes) const;

 private:
  explicit TrialGraph(model::ModelGraph model) : model_(std::move(model)) {}

  model::ModelGraph model_;
  bool is_quantized_ = false;
};

}  // namespace cboard::compression
