// Counts sums that saturate in 8-bit kernels without VNNI, with real weights and activations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "cboard/tensor/saturation.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// One layer that multiplies unsigned 8-bit activations by signed 8-bit weights. Activations are fed
// sample by sample; after enough of them, further ones are left out.
class SaturationCheck {
 public:
  // nullopt for layers that are not checked: only matrix products and two-dimensional convolutions
  // with explicit padding are.
  static std::optional<SaturationCheck> For(const model::ModelGraph& model,
                                            const ModelLayer& layer);

  // The tensor of codes to capture.
  const std::string& input() const { return input_; }

  // Codes of one run; other dtypes and shapes than the layer's are left out.
  void Add(const TensorView& codes);

  // Nothing before the first codes.
  std::optional<tensor::SaturationCount> Build() const;

 private:
  struct Window {  // Window of a convolution.
    std::int64_t kernel_height = 1, kernel_width = 1;
    std::int64_t stride_y = 1, stride_x = 1;
    std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
    std::int64_t dilation_y = 1, dilation_x = 1;
  };

  SaturationCheck() = default;
  static std::optional<Window> WindowOf(const model::ModelNode& node,
                                        const std::vector<std::int64_t>& shape);
  void AddImages(const TensorView& codes);
  void Count(std::span<const std::uint8_t> rows, std::size_t group);

  std::string input_;
  std::uint8_t zero_point_ = 0;
  std::optional<Window> window_;  // Nothing for products.
  std::size_t groups_ = 1;
  std::size_t channels_ = 0, depth_ = 0;  // Per group.
  std::vector<std::int8_t> weights_;      // [groups, channels, depth].
  bool was_fed_ = false;
  tensor::SaturationCount count_;
};

}  // namespace cboard::compare
