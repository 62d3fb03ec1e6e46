// Teaches the network digits: stochastic gradient descent with momentum, by the cross entropy.
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
  double learning_rate = 0.02;  // Falls to zero along half a cosine.
  double momentum = 0.9;
  unsigned seed = 1;
  // Converts the learned weights to those that the network computes with: quantized ones, so that
  // it adapts to their rounding, or pruned ones. Gradients pass straight through.
  std::function<Network(const Network&)> as_deployed;
};

// Probability of each class, from the scores of the network.
std::array<double, kDigitClasses> Probabilities(std::span<const float> scores);

struct Evaluation {
  double loss = 0;
  double accuracy = 0;
  double f1 = 0;  // The mean over the classes.
  // Share of the pictures of each class that were read correctly; NaN without such pictures.
  std::array<double, kDigitClasses> class_accuracy = {};
};

// How well scores name the labels of `digits`. `scores` gives kDigitClasses numbers for a picture.
Evaluation Evaluate(const Digits& digits,
                    const std::function<std::span<const float>(std::span<const float>)>& scores);

struct Epoch {
  int number = 0;  // From 0.
  double learning_rate = 0;
  Evaluation train, test;
  const Network& network;  // As deployed.
};

// Changes `network`; the result is what is deployed. `after_epoch` may be empty.
Network Train(Network& network, const DigitsSplit& digits, const TrainingOptions& options,
              const std::function<void(const Epoch&)>& after_epoch);

}  // namespace cboard::demo
