#include "demo/training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace cboard::demo {
namespace {

std::vector<Layer> Zeros() {
  std::vector<Layer> layers;
  for (const LayerShape& shape : NetworkShape()) {
    layers.push_back(
        {std::vector<float>(shape.weight_count()), std::vector<float>(shape.out_channels)});
  }
  return layers;
}

// Adds the gradients of one layer for the last image to `gradients`. `error` is the gradient with
// respect to the outputs of the layer. Returns the gradient with respect to its inputs.
std::vector<float> PassBack(const LayerShape& shape, const Layer& layer,
                            std::span<const float> columns, std::span<const float> error,
                            Layer& gradients) {
  const std::size_t inputs = shape.weights_per_output();
  std::vector<float> column_errors(columns.size());
  for (std::size_t out = 0; out < shape.out_channels; ++out) {
    const float* weights = layer.weights.data() + out * inputs;
    float* weight_gradients = gradients.weights.data() + out * inputs;
    for (std::size_t position = 0; position < shape.positions(); ++position) {
      const float by_output = error[out * shape.positions() + position];
      if (by_output == 0) continue;
      gradients.biases[out] += by_output;
      const float* column = columns.data() + position * inputs;
      float* column_error = column_errors.data() + position * inputs;
      for (std::size_t in = 0; in < inputs; ++in) {
        weight_gradients[in] += by_output * column[in];
        column_error[in] += by_output * weights[in];
      }
    }
  }
  // Finds the input that each element of the columns was copied from, by calling SpreadInputs with
  // the numbers of the inputs. The number 0 is the border.
  std::vector<std::uint32_t> places(shape.inputs()), column_places;
  std::iota(places.begin(), places.end(), 1U);
  SpreadInputs<std::uint32_t>(shape, places, 0, column_places);
  std::vector<float> input_error(shape.inputs());
  for (std::size_t i = 0; i < column_places.size(); ++i) {
    if (column_places[i] != 0) input_error[column_places[i] - 1] += column_errors[i];
  }
  return input_error;
}

void AddGradients(const Network& network, FloatRunner& runner, std::span<const float> image,
                  std::uint8_t label, std::vector<Layer>& gradients) {
  const auto probabilities = Probabilities(runner.Run(image));
  std::vector<float> error(probabilities.begin(), probabilities.end());
  error[label] -= 1;
  for (std::size_t i = network.layers.size(); i-- > 0;) {
    error = PassBack(NetworkShape()[i], network.layers[i], runner.columns(i), error, gradients[i]);
    if (i == 0) break;
    const std::span<const float> below = runner.output(i - 1);
    for (std::size_t k = 0; k < error.size(); ++k) {
      if (below[k] <= 0) error[k] = 0;  // The ReLU output was 0.
    }
  }
}

void Step(std::vector<float>& values, const std::vector<float>& gradients,
          std::vector<float>& velocities, float rate, float momentum) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    velocities[i] = momentum * velocities[i] - rate * gradients[i];
    values[i] += velocities[i];
  }
}

}  // namespace

std::array<double, kDigitClasses> Probabilities(std::span<const float> scores) {
  const float largest = *std::ranges::max_element(scores);
  std::array<double, kDigitClasses> probabilities = {};
  double sum = 0;
  for (std::size_t i = 0; i < kDigitClasses; ++i) {
    sum += probabilities[i] = std::exp(static_cast<double>(scores[i] - largest));
  }
  for (double& probability : probabilities) probability /= sum;
  return probabilities;
}

Evaluation Evaluate(const Digits& digits,
                    const std::function<std::span<const float>(std::span<const float>)>& scores) {
  std::array<double, kDigitClasses> hits = {}, named = {}, there = {};
  Evaluation judgement;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::span<const float> given = scores(digits.image(i));
    const std::uint8_t label = digits.labels[i];
    const auto answer = static_cast<std::size_t>(std::ranges::max_element(given) - given.begin());
    judgement.loss -= std::log(std::max(Probabilities(given)[label], 1e-12));
    ++named[answer];
    ++there[label];
    if (answer == label) ++hits[label];
  }
  const auto count = static_cast<double>(digits.size());
  judgement.loss /= count;
  judgement.accuracy = std::accumulate(hits.begin(), hits.end(), 0.0) / count;
  for (std::size_t c = 0; c < kDigitClasses; ++c) {
    judgement.f1 += 2 * hits[c] / std::max(named[c] + there[c], 1.0) / kDigitClasses;
    judgement.class_accuracy[c] = hits[c] / there[c];
  }
  return judgement;
}

Network Train(Network& network, const DigitsSplit& digits, const TrainingOptions& options,
              const std::function<void(const Epoch&)>& after_epoch) {
  const auto deployed = [&] {
    return options.as_deployed ? options.as_deployed(network) : network;
  };
  std::mt19937 random(options.seed);
  std::vector<std::size_t> order(digits.train.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Layer> velocities = Zeros();

  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const double rate = options.learning_rate / 2 *
                        (1 + std::cos(std::numbers::pi * epoch / std::max(options.epochs, 1)));
    std::ranges::shuffle(order, random);
    for (std::size_t start = 0; start < order.size(); start += options.batch_size) {
      const std::size_t count = std::min(options.batch_size, order.size() - start);
      const Network used = deployed();
      FloatRunner runner(used);
      std::vector<Layer> gradients = Zeros();
      for (const std::size_t i : std::span(order).subspan(start, count)) {
        AddGradients(used, runner, digits.train.image(i), digits.train.labels[i], gradients);
      }
      const auto step = static_cast<float>(rate / static_cast<double>(count));
      const auto momentum = static_cast<float>(options.momentum);
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        Layer& layer = network.layers[i];
        Step(layer.weights, gradients[i].weights, velocities[i].weights, step, momentum);
        Step(layer.biases, gradients[i].biases, velocities[i].biases, step, momentum);
      }
    }
    if (!after_epoch) continue;
    const Network used = deployed();
    FloatRunner runner(used);
    const auto scores = [&](std::span<const float> image) { return runner.Run(image); };
    after_epoch({epoch, rate, Evaluate(digits.train, scores), Evaluate(digits.test, scores), used});
  }
  return deployed();
}

}  // namespace cboard::demo
