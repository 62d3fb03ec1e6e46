// Extracts the parts of a TensorFlow GraphDef that the log of a trial needs.
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

// Owns the open file. Not thread-safe.
class TrialGraph {
 public:
  // Opens a model file. Fails like OpenModel, and with kInvalidArgument for other formats.
  static Result<TrialGraph> Open(const std::filesystem::path& file);

  // Returns "int8" if any operator requantizes, else "fp32".
  std::string_view precision() const { return is_quantized_ ? "int8" : "fp32"; }

  // Returns the GraphDef without the values of its constants, because no viewer shows them and they
  // may take hundreds of megabytes.
  Result<std::string> Trimmed() const;

  // Calls `visit` with each constant that a convolution, matrix product, normalization or bias
  // addition uses as a weight or bias, in the order of the graph. If a constant cannot be read,
  // `visit` gets the error of reading it.
  void ForEachWeight(const std::function<void(std::string_view name,
                                              const Result<TensorView>& values)>& visit) const;

  // The scale and zero point of the 8-bit codes of a node's output; nullopt if the graph does not
  // contain its range.
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
