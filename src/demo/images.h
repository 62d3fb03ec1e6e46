// Draws pictures of the network: its confusion matrix, misread digits, and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cboard/tensor/tensor_view.h"
#include "demo/digits.h"
#include "demo/network.h"

namespace cboard::demo {

// A picture, row by row; each pixel is red, green and blue from 0 to 1.
struct Picture {
  Picture(std::size_t rows, std::size_t columns, float grey)
      : height(rows), width(columns), pixels(rows * columns * 3, grey) {}

  TensorView view() const {
    return TensorView(pixels,
                      {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width), 3});
  }

  std::size_t height;
  std::size_t width;
  std::vector<float> pixels;
};

// Returns kDigitClasses scores for a picture of a digit.
using Scores = std::function<std::span<const float>(std::span<const float>)>;

// Draws how often each digit (row) is read as each digit (column), with the numbers: blue is right,
// orange is wrong.
Picture ConfusionMatrix(const Digits& digits, const Scores& scores);

// Draws misread digits, enlarged and in rows, at most `at_most` of them; black if there are
// none.
Picture Misclassified(const Digits& digits, const Scores& scores, std::size_t at_most);

// Draws the kernels of a layer: one row per input channel, one column per output; kernels of a
// single input in rows of four. Orange weights are positive, blue ones negative, and the largest
// weight of the layer has the full colour.
Picture Kernels(const LayerShape& shape, const Layer& layer);

}  // namespace cboard::demo
