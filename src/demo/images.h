// Draws images about the network: its confusion matrix, misread digits, and kernels.
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

// An image, row by row. Each pixel is red, green and blue, from 0 to 1.
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

// A function that returns kDigitClasses scores for the image of a digit.
using Scores = std::function<std::span<const float>(std::span<const float>)>;

// Draws the confusion matrix: how many times the network has read each digit (row) as each digit
// (column). Blue cells are right, orange cells are wrong.
Picture ConfusionMatrix(const Digits& digits, const Scores& scores);

// Draws at most `at_most` misread digits, enlarged and in rows. The image is black if there are
// none.
Picture Misclassified(const Digits& digits, const Scores& scores, std::size_t at_most);

// Draws the kernels of a layer. There is one row per input channel and one column per output
// channel; if there is a single input channel, the kernels are in rows of four. Orange weights are
// positive, blue weights are negative. The largest weight of the layer has the full color.
Picture Kernels(const LayerShape& shape, const Layer& layer);

}  // namespace cboard::demo
