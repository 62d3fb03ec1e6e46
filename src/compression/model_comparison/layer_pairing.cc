#include "compression/model_comparison/layer_pairing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "compression/model_comparison/attention_heads.h"

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

  std::string_view NameAt(std::size_t i) const { return NameOf(model, layers[i]); }
  WeightSize SizeAt(std::size_t i) const { return SizeOf(model, layers[i]); }
  // Whether nothing says which of the two dimensions of layer i are channels.
  bool IsUnoriented(std::size_t i) const {
    return layers[i].node == kNoNode && model.tensor(layers[i].weight).shape.size() == 2;
  }
};

// A pair of layers i and j, transposed where that makes them fit; nothing when nothing does.
std::optional<LayerPair> Fit(const Side& a, std::size_t i, const Side& b, std::size_t j,
                             PairedBy how) {
  const WeightSize x = a.SizeAt(i), y = b.SizeAt(j);
  if (x.elements != y.elements) return std::nullopt;
  if (x.channels == y.channels) return LayerPair{i, j, how};
  if (y.elements / y.channels != x.channels) return std::nullopt;
  if (b.IsUnoriented(j)) return LayerPair{i, j, how, {}, {.is_transposed = true}};
  if (a.IsUnoriented(i)) return LayerPair{i, j, how, {.is_transposed = true}, {}};
  return std::nullopt;
}

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
    const std::optional<LayerPair> pair = Fit(a, count.first, b, other, how);
    if (!pair) continue;
    a.taken[count.first] = b.taken[other] = true;
    pairing.pairs.push_back(*pair);
  }
}

// Converters join the names of what they fuse: "block/Relu;block/BiasAdd;block/Conv2D".
std::vector<std::string_view> PartsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(';', begin), name.size());
    if (end > begin) parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  std::ranges::sort(parts);
  const auto repeated = std::ranges::unique(parts);
  parts.erase(repeated.begin(), repeated.end());
  return parts;
}

// Pairs layers of one size that are the only ones on their sides with some part of their names.
void PairByPart(Side& a, Side& b, LayerPairing& pairing) {
  struct Users {
    std::vector<std::size_t> ours, theirs;
  };
  std::unordered_map<std::string_view, Users> users;
  const auto collect = [&](const Side& side, std::vector<std::size_t> Users::*list) {
    for (std::size_t i = 0; i < side.layers.size(); ++i) {
      if (side.taken[i]) continue;
      for (const std::string_view part : PartsOf(side.NameAt(i))) {
        (users[part].*list).push_back(i);
      }
    }
  };
  collect(a, &Users::ours);
  collect(b, &Users::theirs);
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    if (a.taken[i]) continue;
    for (const std::string_view part : PartsOf(a.NameAt(i))) {
      const Users& found = users[part];
      if (found.ours.size() != 1 || found.theirs.size() != 1) continue;
      const std::size_t j = found.theirs[0];
      if (b.taken[j] || a.SizeAt(i) != b.SizeAt(j)) continue;
      a.taken[i] = b.taken[j] = true;
      pairing.pairs.push_back({i, j, PairedBy::kName});
      break;
    }
  }
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

// A layer as it may be read.
struct Candidate {
  double sketch = 0;
  std::size_t layer = 0;
  Reading reading;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};
using Candidates = std::map<WeightSize, std::vector<Candidate>>;

Result<void> AddCandidate(const Side& side, std::size_t i, const Reading& reading,
                          Candidates& candidates) {
  const ModelLayer layer = Read(side.layers[i], reading);
  CBOARD_ASSIGN_OR_RETURN(const WeightRows rows, ReadRows(side.model, layer));
  candidates[SizeOf(side.model, layer)].push_back({SketchOf(rows), i, reading});
  return {};
}

// Looks for the layer whose rows are most alike near the place of `ours` among the sketches.
Result<void> PairNearest(Side& a, const Candidate& ours, Side& b,
                         const std::vector<Candidate>& theirs, LayerPairing& pairing) {
  CBOARD_ASSIGN_OR_RETURN(const WeightRows rows,
                          ReadRows(a.model, Read(a.layers[ours.layer], ours.reading)));
  const std::ptrdiff_t middle =
      std::ranges::lower_bound(theirs, ours.sketch, {}, &Candidate::sketch) - theirs.begin();
  double best = kSameContent;
  const Candidate* partner = nullptr;
  for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, middle - kNeighbours);
       k < std::min(std::ssize(theirs), middle + kNeighbours); ++k) {
    const Candidate& candidate = theirs[static_cast<std::size_t>(k)];
    if (b.taken[candidate.layer]) continue;
    CBOARD_ASSIGN_OR_RETURN(const WeightRows other,
                            ReadRows(b.model, Read(b.layers[candidate.layer], candidate.reading)));
    const double alike = Alikeness(rows, other);
    if (alike <= best) continue;
    best = alike;
    partner = &candidate;
  }
  if (partner == nullptr) return {};
  a.taken[ours.layer] = b.taken[partner->layer] = true;
  pairing.pairs.push_back(
      {ours.layer, partner->layer, PairedBy::kContent, ours.reading, partner->reading});
  return {};
}

Result<void> PairByContent(Side& a, Side& b, LayerPairing& pairing) {
  // Only one side needs to be turned, where neither says what its channels are.
  Candidates ours, theirs;
  for (const auto& [side, candidates] : {std::pair(&a, &ours), std::pair(&b, &theirs)}) {
    for (std::size_t i = 0; i < side->layers.size(); ++i) {
      if (side->taken[i]) continue;
      CBOARD_RETURN_IF_ERROR(AddCandidate(*side, i, {}, *candidates));
      const bool may_be_turned = side->IsUnoriented(i) && (side == &b || !b.model.nodes().empty());
      if (may_be_turned) {
        CBOARD_RETURN_IF_ERROR(AddCandidate(*side, i, {.is_transposed = true}, *candidates));
      }
      if (const std::size_t heads = PairedHeadsOf(side->model, side->layers[i]); heads > 0) {
        CBOARD_RETURN_IF_ERROR(AddCandidate(*side, i, {.paired_heads = heads}, *candidates));
      }
    }
  }
  for (auto& [size, candidates] : theirs) std::ranges::sort(candidates);
  for (const auto& [size, candidates] : ours) {
    const auto group = theirs.find(size);
    if (group == theirs.end()) continue;
    for (const Candidate& candidate : candidates) {
      if (a.taken[candidate.layer]) continue;
      CBOARD_RETURN_IF_ERROR(PairNearest(a, candidate, b, group->second, pairing));
    }
  }
  return {};
}

}  // namespace

ModelLayer Read(ModelLayer layer, const Reading& reading) {
  if (reading.is_transposed) layer.channel_axis = 1 - layer.channel_axis;
  layer.paired_heads = reading.paired_heads;
  return layer;
}

Result<LayerPairing> PairLayers(const ModelGraph& baseline,
                                std::span<const ModelLayer> baseline_layers,
                                const ModelGraph& variant,
                                std::span<const ModelLayer> variant_layers) {
  LayerPairing pairing;
  Side a{baseline, baseline_layers, std::vector<bool>(baseline_layers.size())};
  Side b{variant, variant_layers, std::vector<bool>(variant_layers.size())};
  PairByKey(
      a, b, PairedBy::kName,
      [](const Side& side, std::size_t i) { return std::string(side.NameAt(i)); }, pairing);
  PairByPart(a, b, pairing);
  PairByKey(
      a, b, PairedBy::kSuffix,
      [](const Side& side, std::size_t i) {
        return std::string(WithoutQuantizationSuffix(side.NameAt(i)));
      },
      pairing);
  PairByKey(
      a, b, PairedBy::kWeights,
      [](const Side& side, std::size_t i) {
        const ModelTensor& weight = side.model.tensor(side.layers[i].weight);
        const std::string& name = side.model.tensor(weight.source).name;
        return std::string(LayerOfWeight(WithoutQuantizationSuffix(name)));
      },
      pairing);
  PairByKey(
      a, b, PairedBy::kScope,
      [](const Side& side, std::size_t i) {
        if (side.layers[i].node == kNoNode) return std::string();
        const std::string& scope = side.model.node(side.layers[i].node).scope;
        const auto [channels, elements] = side.SizeAt(i);
        return scope.empty()
                   ? std::string()
                   : scope + ":" + std::to_string(channels) + "/" + std::to_string(elements);
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
