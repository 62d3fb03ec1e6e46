// Trains the network with stochastic gradient descent with momentum. The loss is the cross entropy.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "demo/digits.h"
#include "demo/network.h"

namespace cboard::demo {

struct TrainingOptions {
  int epochs = 30;
  std::size_t batch_size = 16;
  double learning_rate = 0.02;  // Decreases to zero along half a cosine.
  double momentum = 0.9;
  unsigned seed = 1;
  // Converts the trained weights to the quantized or pruned weights that the network computes with.
  // The training thus adapts to their error. Gradients are not changed by the conversion.
  std::function<Network(const Network&)> as_deployed;
};

// Returns the probability of each class from the scores of the network.
std::array<double, kDigitClasses> Probabilities(std::span<const float> scores);

struct Evaluation {
  double loss = 0;
  double accuracy = 0;
  double f1 = 0;  // Mean over the classes.
  // The share of correctly read images, for each class. NaN for a class without images.
  std::array<double, kDigitClasses> class_accuracy = {};
};

// Evaluates a network on `digits`. `scores` returns kDigitClasses numbers for an image, which are
// compared with its label.
Evaluation Evaluate(const Digits& digits,
                    const std::function<std::span<const float>(std::span<const float>)>& scores);

struct Epoch {
  int number = 0;  // Counted from 0.
  double learning_rate = 0;
  Evaluation train, test;
  const Network& network;  // The network with deployed weights.
};

// Trains `network` and returns the network with deployed weights. `after_epoch` may be empty.
Network Train(Network& network, const DigitsSplit& digits, const TrainingOptions& options,
              const std::function<void(const Epoch&)>& after_epoch);

}  // namespace cboard::demo
