#include "compression/model_comparison/layer_pairing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace cboard::compare {

std::string_view NameOf(PairedBy how) {
  constexpr std::array<std::string_view, 6> kNames = {"name",  "suffix",  "weights",
                                                      "scope", "content", "tensor"};
  return kNames[static_cast<std::size_t>(how)];
}

namespace {

// Rows that are alike have at least this cosine, on the average.
constexpr double kSameContent = 0.9;
// Candidates to look at on either side of a layer's place among the sketches.
constexpr std::ptrdiff_t kNeighbours = 4;

struct Side {
  const ModelGraph& model;
  std::span<const ModelLayer> layers;
  std::vector<bool> taken;

  const ModelNode& node(std::size_t i) const { return model.node(layers[i].node); }
  std::pair<std::size_t, std::size_t> SizeOf(std::size_t i) const {
    const std::vector<std::int64_t>& shape = model.tensor(layers[i].weight).shape;
    std::size_t elements = 1;
    for (const std::int64_t size : shape) elements *= static_cast<std::size_t>(size);
    return {static_cast<std::size_t>(shape[layers[i].channel_axis]), elements};
  }
};

using KeyOf = std::function<std::string(const Side&, std::size_t)>;

// Pairs layers that are the only ones with their key on both sides, the key being no empty text.
void PairByKey(Side& a, Side& b, PairedBy how, const KeyOf& key_of, LayerPairing& pairing) {
  struct Count {
    std::size_t first = 0, count = 0;
  };
  using Keys = std::unordered_map<std::string, Count>;
  const auto collect = [&](const Side& side) {
    Keys keys;
    for (std::size_t i = 0; i < side.layers.size(); ++i) {
      if (side.taken[i]) continue;
      std::string key = key_of(side, i);
      if (key.empty()) continue;
      Count& count = keys[std::move(key)];
      if (count.count++ == 0) count.first = i;
    }
    return keys;
  };
  const Keys ours = collect(a), theirs = collect(b);
  for (const auto& [key, count] : ours) {
    const auto found = theirs.find(key);
    if (count.count != 1 || found == theirs.end() || found->second.count != 1) continue;
    const std::size_t other = found->second.first;
    if (a.SizeOf(count.first) != b.SizeOf(other)) continue;
    a.taken[count.first] = b.taken[other] = true;
    pairing.pairs.push_back({count.first, other, how});
  }
}

std::string SizeText(const Side& side, std::size_t i) {
  const auto [channels, elements] = side.SizeOf(i);
  return std::to_string(channels) + "/" + std::to_string(elements);
}

// A number that factors of channels do not change: the mean over rows of the cosine between the row
// and a fixed vector of pseudo-random signs.
double SketchOf(const WeightRows& rows) {
  double sum = 0;
  for (std::size_t c = 0; c < rows.channels; ++c) {
    const float* row = rows.values.data() + c * rows.row;
    double dot = 0, squares = 0;
    std::uint32_t random = 12345u + static_cast<std::uint32_t>(c);
    for (std::size_t i = 0; i < rows.row; ++i) {
      random = random * 1664525u + 1013904223u;
      dot += (random >> 31) != 0 ? row[i] : -row[i];
      squares += double{row[i]} * row[i];
    }
    if (squares > 0) sum += dot / std::sqrt(squares);
  }
  return sum;
}

// The mean cosine between rows of the same channel; of all channels, since any may be the broken
// one.
double Alikeness(const WeightRows& a, const WeightRows& b) {
  double sum = 0;
  std::size_t rows = 0;
  for (std::size_t c = 0; c < a.channels; ++c) {
    const float* x = a.values.data() + c * a.row;
    const float* y = b.values.data() + c * a.row;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < a.row; ++i) {
      xx += double{x[i]} * x[i];
      yy += double{y[i]} * y[i];
      xy += double{x[i]} * y[i];
    }
    if (xx == 0) continue;
    ++rows;
    if (yy > 0) sum += xy / std::sqrt(xx * yy);
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

Result<void> PairByContent(Side& a, Side& b, LayerPairing& pairing) {
  using Sketches = std::vector<std::pair<double, std::size_t>>;
  std::map<std::pair<std::size_t, std::size_t>, Sketches> theirs;
  for (std::size_t i = 0; i < b.layers.size(); ++i) {
    if (b.taken[i]) continue;
    CBOARD_ASSIGN_OR_RETURN(const WeightRows rows, ReadRows(b.model, b.layers[i]));
    theirs[b.SizeOf(i)].emplace_back(SketchOf(rows), i);
  }
  for (auto& [size, sketches] : theirs) std::ranges::sort(sketches);
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    const auto group = a.taken[i] ? theirs.end() : theirs.find(a.SizeOf(i));
    if (group == theirs.end()) continue;
    CBOARD_ASSIGN_OR_RETURN(const WeightRows rows, ReadRows(a.model, a.layers[i]));
    const Sketches& sketches = group->second;
    const auto place =
        std::ranges::lower_bound(sketches, std::pair(SketchOf(rows), std::size_t{0}));
    const std::ptrdiff_t middle = place - sketches.begin();
    const std::ptrdiff_t size = std::ssize(sketches);
    double best = kSameContent;
    std::size_t partner = b.layers.size();
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, middle - kNeighbours);
         k < std::min(size, middle + kNeighbours); ++k) {
      const std::size_t candidate = sketches[static_cast<std::size_t>(k)].second;
      if (b.taken[candidate]) continue;
      CBOARD_ASSIGN_OR_RETURN(const WeightRows other, ReadRows(b.model, b.layers[candidate]));
      const double alike = Alikeness(rows, other);
      if (alike <= best) continue;
      best = alike;
      partner = candidate;
    }
    if (partner == b.layers.size()) continue;
    a.taken[i] = b.taken[partner] = true;
    pairing.pairs.push_back({i, partner, PairedBy::kContent});
  }
  return {};
}

}  // namespace

Result<LayerPairing> PairLayers(const ModelGraph& baseline,
                                std::span<const ModelLayer> baseline_layers,
                                const ModelGraph& variant,
                                std::span<const ModelLayer> variant_layers) {
  LayerPairing pairing;
  Side a{baseline, baseline_layers, std::vector<bool>(baseline_layers.size())};
  Side b{variant, variant_layers, std::vector<bool>(variant_layers.size())};
  PairByKey(
      a, b, PairedBy::kName, [](const Side& side, std::size_t i) { return side.node(i).name; },
      pairing);
  PairByKey(
      a, b, PairedBy::kSuffix,
      [](const Side& side, std::size_t i) {
        return std::string(WithoutQuantizationSuffix(side.node(i).name));
      },
      pairing);
  PairByKey(
      a, b, PairedBy::kWeights,
      [](const Side& side, std::size_t i) {
        const ModelTensor& weight = side.model.tensor(side.layers[i].weight);
        return std::string(WithoutQuantizationSuffix(side.model.tensor(weight.source).name));
      },
      pairing);
  PairByKey(
      a, b, PairedBy::kScope,
      [](const Side& side, std::size_t i) {
        const std::string& scope = side.node(i).scope;
        return scope.empty() ? "" : scope + ":" + SizeText(side, i);
      },
      pairing);
  CBOARD_RETURN_IF_ERROR(PairByContent(a, b, pairing));
  std::ranges::sort(pairing.pairs, {}, &LayerPair::baseline);
  for (std::size_t i = 0; i < a.taken.size(); ++i) {
    if (!a.taken[i]) pairing.baseline_only.push_back(i);
  }
  for (std::size_t i = 0; i < b.taken.size(); ++i) {
    if (!b.taken[i]) pairing.variant_only.push_back(i);
  }
  return pairing;
}

}  // namespace cboard::compare
