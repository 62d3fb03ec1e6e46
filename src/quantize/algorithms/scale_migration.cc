#include "quantize/algorithms/scale_migration.h"

#include <algorithm>
#include <cmath>

#include "quantize/planning/noise.h"

namespace cboard::quantize {
namespace {

// A constant with one value per channel: dimension `axis` of its shape contains the channels.
struct ScaledConstant {
  std::size_t node = 0;
  std::size_t input = 0;
  std::size_t axis = 0;
};

struct MigrationPath {
  std::vector<ScaledConstant> divided;  // Constants before the activation.
  std::vector<std::string> tensors;     // The activation, and tensors that change with it.
  std::vector<std::size_t> consumers;   // Nodes whose weights are multiplied.
  bool is_normalization = false;
  // True if channels are dimension 1, false if channels are the last dimension.
  bool has_convolutions = false;
};

bool IsHomogeneous(const Node& node) {
  return node.Is("Relu") || node.Is("LeakyRelu") || node.Is("MaxPool") || node.Is("AveragePool") ||
         node.Is("GlobalAveragePool") || node.Is("GlobalMaxPool");
}

class PathFinder {
 public:
  PathFinder(const Graph& graph, const Placement& placement)
      : graph_(graph), index_(graph), placement_(placement) {}

  std::optional<MigrationPath> Find(const std::string& tensor, std::size_t channels) const {
    MigrationPath path;
    if (index_.IsOutput(tensor) || index_.Consumers(tensor).empty()) return std::nullopt;
    for (const std::size_t consumer : index_.Consumers(tensor)) {
      const Node& node = graph_.nodes[consumer];
      const bool can_scale = placement_.nodes[consumer].role == NodeRole::kCompute &&
                             node.Input(0) == tensor && !node.HasBody();
      if (!can_scale) return std::nullopt;
      const auto weight = EnergyOf(node, *graph_.FindConstant(node.inputs[1]));
      if (!weight || weight->inputs * weight->groups != channels) return std::nullopt;
      if (!path.consumers.empty() && path.has_convolutions != node.Is("Conv")) return std::nullopt;
      path.has_convolutions = node.Is("Conv");
      path.consumers.push_back(consumer);
    }
    std::string now = tensor;
    for (int depth = 0; depth < 8; ++depth) {
      path.tensors.push_back(now);
      const std::size_t producer = index_.Producer(now);
      if (producer == GraphIndex::kNone) return std::nullopt;
      const Node& node = graph_.nodes[producer];
      if (node.outputs.size() != 1) return std::nullopt;
      if (AddProducer(producer, channels, path)) return path;
      if (!IsHomogeneous(node) || (!path.has_convolutions && node.op_type.ends_with("Pool"))) {
        return std::nullopt;
      }
      now = node.Input(0);
      if (index_.OnlyConsumer(now) != producer) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool IsVector(const std::string& name, std::size_t channels) const {
    const Constant* const constant = graph_.FindConstant(name);
    return constant != nullptr && constant->element_type == kFloat32 &&
           constant->element_count() == channels && !constant->shape.empty() &&
           constant->shape.back() == static_cast<std::int64_t>(channels);
  }

  std::size_t LastAxis(const std::string& name) const {
    return graph_.FindConstant(name)->shape.size() - 1;
  }

  // Returns the input of Mul or Add that is a vector of channels, in the last dimension.
  std::optional<std::size_t> VectorInput(const Node& node, std::size_t channels) const {
    if (node.inputs.size() != 2) return std::nullopt;
    for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
      if (IsVector(node.inputs[input], channels)) return input;
    }
    return std::nullopt;
  }

  bool AddProducer(std::size_t i, std::size_t channels, MigrationPath& path) const {
    const Node& node = graph_.nodes[i];
    if (path.has_convolutions) return node.Is("Conv") && AddWeights(i, channels, path);
    if (node.Is("LayerNormalization")) {
      if (node.Int("axis", -1) != -1 || !IsVector(node.Input(1), channels)) return false;
      if (!node.Input(2).empty() && !IsVector(node.Input(2), channels)) return false;
      path.divided.push_back({i, 1, LastAxis(node.inputs[1])});
      if (!node.Input(2).empty()) path.divided.push_back({i, 2, LastAxis(node.inputs[2])});
      path.is_normalization = true;
      return true;
    }
    if (node.Is("Mul")) {
      const auto gain = VectorInput(node, channels);
      if (!gain) return false;
      path.divided.push_back({i, *gain, LastAxis(node.inputs[*gain])});
      path.is_normalization = true;
      return true;
    }
    if (node.Is("Add")) {
      const auto offset = VectorInput(node, channels);
      if (!offset) return false;
      const std::string& other = node.inputs[1 - *offset];
      const std::size_t before = index_.Producer(other);
      if (before == GraphIndex::kNone || index_.OnlyConsumer(other) != i) return false;
      if (graph_.nodes[before].Is("Add") || !AddProducer(before, channels, path)) return false;
      path.divided.push_back({i, *offset, LastAxis(node.inputs[*offset])});
      return true;
    }
    return AddWeights(i, channels, path);
  }

  bool AddWeights(std::size_t i, std::size_t channels, MigrationPath& path) const {
    const Node& node = graph_.nodes[i];
    if (!WeightInput(graph_, node)) return false;
    const Constant& weight = *graph_.FindConstant(node.inputs[1]);
    std::size_t axis = 0;
    if (node.Is("Gemm") && weight.shape.size() == 2) {
      axis = node.Int("transB", 0) != 0 ? 0 : 1;
    } else if (node.Is("MatMul") && weight.shape.size() == 2) {
      axis = 1;
    } else if (!path.has_convolutions || !node.Is("Conv")) {
      return false;
    }
    if (weight.shape[axis] != static_cast<std::int64_t>(channels)) return false;
    if (!node.Input(2).empty() && !IsVector(node.Input(2), channels)) return false;
    path.divided.push_back({i, 1, axis});
    if (!node.Input(2).empty()) path.divided.push_back({i, 2, LastAxis(node.inputs[2])});
    return true;
  }

  const Graph& graph_;
  GraphIndex index_;
  const Placement& placement_;
};

// Predicts the error of a layer whose input is divided by factors and whose weight is multiplied by
// them.
class MigrationCost {
 public:
  MigrationCost(const TensorStatistics& statistics, std::vector<WeightEnergy> weights,
                const MigrationRequest& request)
      : statistics_(statistics),
        weights_(std::move(weights)),
        request_(request),
        powers_(ChannelPowers(statistics)) {}

  // Returns the mean share of noise in the outputs.
  double Share(const std::vector<double>& factors) const {
    double low = 0, high = 0;
    for (std::size_t c = 0; c < factors.size(); ++c) {
      low = std::min(low, statistics_.channel_min[c] / factors[c]);
      high = std::max(high, statistics_.channel_max[c] / factors[c]);
    }
    if (request_.is_symmetric && low < 0) high = 2 * std::max(high, -low), low = 0;
    const double step = (high - low) / 255;
    const double input_noise = request_.kind == Migration::kAwq ? 0 : step * step / 12;
    double share = 0;
    std::size_t count = 0;
    for (const WeightEnergy& weight : weights_)
      AddShares(weight, factors, input_noise, share, count);
    return count == 0 ? 0 : share / static_cast<double>(count);
  }

  std::vector<double> Factors(double alpha) const {
    const std::size_t channels = powers_.size();
    std::vector<double> factors(channels, 1.0), largest(channels);
    for (const WeightEnergy& weight : weights_) {
      for (std::size_t i = 0; i < weight.largest.size(); ++i) {
        double& one = largest[weight.ChannelOf(i / weight.inputs, i % weight.inputs)];
        one = std::max(one, static_cast<double>(weight.largest[i]));
      }
    }
    double mean = 0;
    std::size_t used = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const double input = request_.kind == Migration::kAwq
                               ? std::sqrt(powers_[c])
                               : std::max(std::abs(statistics_.channel_min[c]),
                                          std::abs(statistics_.channel_max[c]));
      if (!(input > 0) || !(largest[c] > 0)) continue;
      factors[c] = request_.kind == Migration::kAwq
                       ? std::pow(input, alpha)
                       : std::pow(input, alpha) / std::pow(largest[c], 1 - alpha);
      mean += std::log(factors[c]);
      ++used;
    }
    // Centers the factors around 1, and limits extremes that would make weights denormal.
    const double center = used == 0 ? 1 : std::exp(mean / static_cast<double>(used));
    for (std::size_t c = 0; c < channels; ++c) {
      const bool is_dead = !(powers_[c] > 0) || !(largest[c] > 0);
      factors[c] = is_dead ? 1 : std::clamp(factors[c] / center, 1e-4, 1e4);
    }
    return factors;
  }

 private:
  void AddShares(const WeightEnergy& weight, const std::vector<double>& factors, double input_noise,
                 double& share, std::size_t& count) const {
    const int max_code = (1 << (request_.weight_bits - 1)) - 1;
    const bool has_blocks = request_.kind == Migration::kAwq && request_.block_size > 0;
    const std::size_t block = has_blocks ? request_.block_size : weight.inputs;
    for (std::size_t output = 0; output < weight.outputs; ++output) {
      double signal = 0, noise = 0;
      for (std::size_t first = 0; first < weight.inputs; first += block) {
        const std::size_t end = std::min(weight.inputs, first + block);
        double largest = 0, inputs = 0;
        for (std::size_t i = first; i < end; ++i) {
          const std::size_t channel = weight.ChannelOf(output, i);
          const std::size_t place = output * weight.inputs + i;
          const double factor = factors[channel];
          signal += weight.energy[place] * powers_[channel];
          noise += input_noise * weight.energy[place] * factor * factor;
          largest = std::max(largest, weight.largest[place] * factor);
          inputs += powers_[channel] / (factor * factor);
        }
        const double weight_step = largest / max_code;
        noise += weight_step * weight_step / 12 * inputs;
      }
      if (signal <= 0) continue;
      share += std::min(1.0, noise / signal);
      ++count;
    }
  }

  const TensorStatistics& statistics_;
  std::vector<WeightEnergy> weights_;
  MigrationRequest request_;
  std::vector<double> powers_;
};

// Multiplies the values at each index of dimension `axis` by its factor.
void ScaleConstant(Graph& graph, std::size_t node, std::size_t input, std::size_t axis,
                   const std::vector<double>& factors) {
  const std::string name = graph.nodes[node].inputs[input];
  const Constant old = graph.constants.at(name);
  std::vector<float> values = old.ToFloats();
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < old.shape.size(); ++i) {
    inner *= static_cast<std::size_t>(old.shape[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(values[i] * factors[i / inner % factors.size()]);
  }
  // Copies the constant, because other nodes may use it.
  const std::string scaled = graph.UniqueName(name + "_scaled");
  graph.constants.emplace(scaled, Constant::Floats(old.shape, std::move(values)));
  graph.nodes[node].inputs[input] = scaled;
}

void ScaleWeight(Graph& graph, std::size_t i, const std::vector<double>& factors) {
  const Node& node = graph.nodes[i];
  const Constant& weight = graph.constants.at(node.inputs[1]);
  if (!node.Is("Conv")) {
    const bool is_transposed = node.Is("Gemm") && node.Int("transB", 0) != 0;
    return ScaleConstant(graph, i, 1, is_transposed ? 1 : 0, factors);
  }
  // Input channels are counted from the first channel of their group.
  const auto groups = static_cast<std::size_t>(node.Int("group", 1));
  if (groups == 1) return ScaleConstant(graph, i, 1, 1, factors);
  const auto outputs = static_cast<std::size_t>(weight.shape[0]),
             inputs = static_cast<std::size_t>(weight.shape[1]);
  std::vector<float> values = weight.ToFloats();
  const std::size_t kernel = values.size() / (outputs * inputs);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t output = k / (inputs * kernel), input = k / kernel % inputs;
    const double factor = factors[output / (outputs / groups) * inputs + input];
    values[k] = static_cast<float>(values[k] * factor);
  }
  const std::string scaled = graph.UniqueName(node.inputs[1] + "_scaled");
  Constant constant = Constant::Floats(weight.shape, std::move(values));
  graph.constants.emplace(scaled, std::move(constant));
  graph.nodes[i].inputs[1] = scaled;
}

// Returns a histogram of normally distributed channels between their min and max: the true
// histogram is unknown after channels have changed.
WideningHistogram ExpectedHistogram(const TensorStatistics& statistics) {
  constexpr int kPoints = 64;
  const std::size_t channels = statistics.channel_min.size();
  const double count = static_cast<double>(statistics.count) / static_cast<double>(channels);
  const double limit = std::max({std::abs(statistics.min), std::abs(statistics.max), 1e-30});
  const std::int64_t half = WideningHistogram::kBins / 2;
  const int exponent = std::ilogb(limit) + 1 - std::ilogb(static_cast<double>(half));
  const double width = std::ldexp(1.0, exponent);
  std::vector<double> counts(static_cast<std::size_t>(WideningHistogram::kBins));
  for (std::size_t c = 0; c < channels; ++c) {
    const double low = statistics.channel_min[c], high = statistics.channel_max[c];
    if (!(std::isfinite(low) && std::isfinite(high))) continue;
    const double mean = statistics.channel_sum[c] / count;
    const double variance = statistics.channel_sum_squares[c] / count - mean * mean;
    const double deviation = std::sqrt(std::max(variance, 1e-30));
    double weights[kPoints], total = 0;
    const auto value_at = [&](int k) { return low + (high - low) * (k + 0.5) / kPoints; };
    for (int k = 0; k < kPoints; ++k) {
      const double distance = (value_at(k) - mean) / deviation;
      weights[k] = std::exp(-0.5 * distance * distance) + 1e-9;
      total += weights[k];
    }
    for (int k = 0; k < kPoints; ++k) {
      const auto bin = static_cast<std::int64_t>(std::floor(value_at(k) / width)) + half;
      counts[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, 2 * half - 1))] +=
          count * weights[k] / total;
    }
  }
  return WideningHistogram::From(exponent, std::move(counts));
}

void ScaleStatistics(const std::vector<double>& factors, TensorStatistics& statistics) {
  const std::size_t channels = statistics.channel_min.size();
  if (channels != factors.size()) {
    statistics.channel_min.clear();  // Unknown after this change.
    return;
  }
  statistics.min = statistics.max = statistics.sum = statistics.sum_squares = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    statistics.channel_min[c] /= factors[c];
    statistics.channel_max[c] /= factors[c];
    statistics.channel_sum[c] /= factors[c];
    statistics.channel_sum_squares[c] /= factors[c] * factors[c];
    statistics.min =
        c == 0 ? statistics.channel_min[c] : std::fmin(statistics.min, statistics.channel_min[c]);
    statistics.max =
        c == 0 ? statistics.channel_max[c] : std::fmax(statistics.max, statistics.channel_max[c]);
    statistics.sum += statistics.channel_sum[c];
    statistics.sum_squares += statistics.channel_sum_squares[c];
  }
  statistics.mean_min = statistics.min;
  statistics.mean_max = statistics.max;
  statistics.histogram = ExpectedHistogram(statistics);
  for (std::size_t i = 0; i < statistics.gram.size(); ++i) {
    statistics.gram[i] /= factors[i / channels] * factors[i % channels];
  }
}

std::string NameOfLayer(const Graph& graph, const MigrationPath& path) {
  const Node& node = graph.nodes[path.consumers[0]];
  return node.name.empty() ? node.outputs[0] : node.name;
}

}  // namespace

std::vector<MigratedLayer> PlanMigration(const Graph& graph, const Placement& placement,
                                         const Statistics& statistics,
                                         const MigrationRequest& request) {
  const PathFinder finder(graph, placement);
  std::vector<MigratedLayer> layers;
  for (const auto& [tensor, values] : statistics.tensors) {
    const std::size_t channels = values.channel_min.size();
    if (channels < 2 || !values.is_usable()) continue;
    const auto path = finder.Find(tensor, channels);
    if (!path || path->is_normalization == (request.kind == Migration::kEqualize)) continue;
    const bool is_excluded = std::ranges::any_of(path->tensors, [&](const std::string& name) {
      return std::ranges::find(request.excluded, name) != request.excluded.end();
    });
    if (is_excluded) continue;
    const bool is_known = std::ranges::all_of(path->tensors, [&](const std::string& name) {
      const auto found = statistics.tensors.find(name);
      return found == statistics.tensors.end() || found->second.channel_min.size() == channels;
    });
    if (!is_known) continue;
    std::vector<WeightEnergy> weights;
    for (const std::size_t consumer : path->consumers) {
      const Node& node = graph.nodes[consumer];
      weights.push_back(*EnergyOf(node, *graph.FindConstant(node.inputs[1])));
    }
    const MigrationCost cost(values, std::move(weights), request);
    const double before = cost.Share(std::vector<double>(channels, 1.0));
    MigratedLayer best{.tensor = tensor};
    double least = before;
    for (const double alpha : {0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0}) {
      std::vector<double> factors = cost.Factors(alpha);
      const double share = cost.Share(factors);
      if (share >= least) continue;
      least = share;
      best.factors = std::move(factors);
    }
    if (best.factors.empty() || !(least > 0) || !(before > 0)) continue;
    best.gain = {NameOfLayer(graph, *path), -10 * std::log10(before), -10 * std::log10(least)};
    if (best.gain.after_db - best.gain.before_db < request.min_gain_db) continue;
    layers.push_back(std::move(best));
  }
  std::ranges::stable_sort(layers, [](const MigratedLayer& a, const MigratedLayer& b) {
    return a.gain.after_db - a.gain.before_db > b.gain.after_db - b.gain.before_db;
  });
  return layers;
}

void Migrate(const MigratedLayer& layer, const Placement& placement, Graph& graph,
             Statistics& statistics) {
  const auto path = PathFinder(graph, placement).Find(layer.tensor, layer.factors.size());
  if (!path) return;
  std::vector<double> inverse = layer.factors;
  for (double& factor : inverse) factor = 1 / factor;
  for (const ScaledConstant& constant : path->divided) {
    ScaleConstant(graph, constant.node, constant.input, constant.axis, inverse);
  }
  for (const std::size_t consumer : path->consumers) ScaleWeight(graph, consumer, layer.factors);
  for (const std::string& tensor : path->tensors) {
    const auto found = statistics.tensors.find(tensor);
    if (found != statistics.tensors.end()) ScaleStatistics(layer.factors, found->second);
  }
}

}  // namespace cboard::quantize
