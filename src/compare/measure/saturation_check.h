// Counts 16-bit sums that saturate in 8-bit kernels on CPUs without VNNI, with the real weights and
// activations.
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

// Checks one layer that multiplies unsigned 8-bit activations by signed 8-bit weights. Add() gets
// the activations sample by sample, and ignores further samples when enough were checked.
class SaturationCheck {
 public:
  // Returns nullopt for layers that cannot be checked. Only matrix products and two-dimensional
  // convolutions with explicit padding can.
  static std::optional<SaturationCheck> For(const model::ModelGraph& model,
                                            const ModelLayer& layer);

  // Name of the tensor to capture: the integer codes of the activations.
  const std::string& input() const { return input_; }

  // Adds the activation codes of one sample; ignores codes whose type or shape does not fit the
  // layer.
  void Add(const TensorView& codes);

  // Returns the counted saturations; nullopt if no codes were added.
  std::optional<tensor::SaturationCount> Build() const;

 private:
  struct Window {  // Geometry of a convolution.
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
  std::optional<Window> window_;  // nullopt for matrix products.
  std::size_t groups_ = 1;
  std::size_t channels_ = 0, depth_ = 0;  // Both per group.
  std::vector<std::int8_t> weights_;      // Stored as [groups, channels, depth].
  bool was_fed_ = false;
  tensor::SaturationCount count_;
};

}  // namespace cboard::compare
