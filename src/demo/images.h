// Pictures of what the network does: what it confuses, what it reads wrongly, what it looks for.
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

// Row by row, a pixel of red, green and blue from 0 to 1.
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

// Gives kDigitClasses scores for a picture of digits.
using Scores = std::function<std::span<const float>(std::span<const float>)>;

// How often each digit (a row) is read as which (a column), with the numbers written into it: blue
// is right, orange is wrong.
Picture ConfusionMatrix(const Digits& digits, const Scores& scores);

// The pictures whose digit is read wrongly, enlarged and in rows, as many as `at_most`; black when
// there is none.
Picture Misclassified(const Digits& digits, const Scores& scores, std::size_t at_most);

// The kernels of a layer: a row for each input channel, a column for each output; those of a single
// input in rows of four. Orange weights are positive, blue ones negative, and the strongest of the
// layer has the full colour.
Picture Kernels(const LayerShape& shape, const Layer& layer);

}  // namespace cboard::demo
