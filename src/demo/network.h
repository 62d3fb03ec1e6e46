// A small convolutional network that reads digits, written as simple loops. It has three
// convolutions and two dense layers.
//
// A dense layer is a convolution whose kernel covers the whole image, so there is only one kind of
// layer. All layers except the last one end with a ReLU.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::demo {

struct LayerShape {
  std::string_view name;  // conv0
  std::string_view op;    // Conv2D or MatMul, as in graphs.
  std::size_t in_channels = 0;
  std::size_t in_size = 0;  // Width and height.
  std::size_t out_channels = 0;
  std::size_t kernel = 0;
  std::size_t stride = 1;
  std::size_t padding = 0;
  bool relu = true;

  std::size_t out_size() const { return (in_size + 2 * padding - kernel) / stride + 1; }
  std::size_t positions() const { return out_size() * out_size(); }
  std::size_t inputs() const { return in_channels * in_size * in_size; }
  std::size_t outputs() const { return out_channels * positions(); }
  std::size_t weights_per_output() const { return in_channels * kernel * kernel; }
  std::size_t weight_count() const { return out_channels * weights_per_output(); }
};

// Returns the shapes of the layers conv0, conv1, conv2, fc0 and fc1.
std::span<const LayerShape> NetworkShape();

struct Layer {
  std::vector<float> weights;  // [out channel][in channel][row][column]
  std::vector<float> biases;
};

struct Network {
  std::vector<Layer> layers;  // One per entry of NetworkShape().

  // Returns a network whose weights are random, with a normal distribution (He et al.), and whose
  // biases are zero.
  static Network Random(unsigned seed);
};

// Copies the inputs of each output position next to each other (im2col). The result is
// columns[position][input of the kernel]. Positions outside the image have the value `border`.
template <typename T>
void SpreadInputs(const LayerShape& shape, std::span<const T> input, T border,
                  std::vector<T>& columns) {
  const std::size_t size = shape.in_size;
  columns.assign(shape.positions() * shape.weights_per_output(), border);
  std::size_t next = 0;
  for (std::size_t y = 0; y < shape.out_size(); ++y) {
    for (std::size_t x = 0; x < shape.out_size(); ++x) {
      for (std::size_t channel = 0; channel < shape.in_channels; ++channel) {
        for (std::size_t row = 0; row < shape.kernel; ++row) {
          for (std::size_t column = 0; column < shape.kernel; ++column, ++next) {
            const std::size_t from_y = y * shape.stride + row - shape.padding;
            const std::size_t from_x = x * shape.stride + column - shape.padding;
            // If the position is negative, the unsigned number wraps around to a large one, which
            // is also outside the image.
            if (from_y >= size || from_x >= size) continue;
            columns[next] = input[(channel * size + from_y) * size + from_x];
          }
        }
      }
    }
  }
}

// Runs a network on one image at a time. Stores the outputs of all layers for the last image.
class FloatRunner {
 public:
  explicit FloatRunner(const Network& network);

  // Runs the network on an image and returns the scores of the classes.
  std::span<const float> Run(std::span<const float> image);

  // Returns the output of a layer for the last image, as [channel][row][column].
  std::span<const float> output(std::size_t layer) const { return outputs_[layer]; }
  std::span<const float> columns(std::size_t layer) const { return columns_[layer]; }

 private:
  const Network& network_;
  // Weights as [input][output channel]. In this order, compilers can vectorize the loops.
  std::vector<std::vector<float>> by_input_;
  std::vector<std::vector<float>> columns_, outputs_;
  std::vector<float> sums_;
};

}  // namespace cboard::demo
