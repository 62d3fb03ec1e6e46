#include "compression/model_comparison/content_pairing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compression/model_comparison/attention_heads.h"

namespace cboard::compare {
namespace {

// Rows that are alike have at least this cosine, on the average.
constexpr double kSameContent = 0.9;
// Candidates to look at on either side of a layer's place among the sketches.
constexpr std::ptrdiff_t kNeighbours = 4;

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
// Layers that are compared with each other: of one size and, if that matters, of one kind.
struct Group {
  WeightSize size;
  std::string kind;
  friend auto operator<=>(const Group&, const Group&) = default;
};
using Candidates = std::map<Group, std::vector<Candidate>>;

Result<void> AddCandidate(const PairingSide& side, std::size_t i, const Reading& reading,
                          bool is_any_kind, Candidates& candidates) {
  const ModelLayer layer = Read(side.layers[i], reading);
  CBOARD_ASSIGN_OR_RETURN(const WeightRows rows, ReadRows(side.model, layer));
  candidates[{SizeOf(side.model, layer), is_any_kind ? "" : side.kinds[i]}].push_back(
      {SketchOf(rows), i, reading});
  return {};
}

// Looks for the layer whose rows are most alike near the place of `ours` among the sketches.
Result<void> PairNearest(PairingSide& a, const Candidate& ours, PairingSide& b,
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

// `is_any_kind`: also layers in other bodies, or that are in none any more.
Result<void> PairAlike(PairingSide& a, PairingSide& b, bool is_any_kind, LayerPairing& pairing) {
  // Only one side needs to be turned, where neither says what its channels are.
  Candidates ours, theirs;
  for (const auto& [side, candidates] : {std::pair(&a, &ours), std::pair(&b, &theirs)}) {
    for (std::size_t i = 0; i < side->layers.size(); ++i) {
      if (side->taken[i]) continue;
      CBOARD_RETURN_IF_ERROR(AddCandidate(*side, i, {}, is_any_kind, *candidates));
      const bool may_be_turned = side->IsUnoriented(i) && (side == &b || !b.model.nodes().empty());
      if (may_be_turned) {
        CBOARD_RETURN_IF_ERROR(
            AddCandidate(*side, i, {.is_transposed = true}, is_any_kind, *candidates));
      }
      if (const std::size_t heads = PairedHeadsOf(side->model, side->layers[i]); heads > 0) {
        CBOARD_RETURN_IF_ERROR(
            AddCandidate(*side, i, {.paired_heads = heads}, is_any_kind, *candidates));
      }
    }
  }
  for (auto& [group, candidates] : theirs) std::ranges::sort(candidates);
  for (const auto& [key, candidates] : ours) {
    const auto group = theirs.find(key);
    if (group == theirs.end()) continue;
    for (const Candidate& candidate : candidates) {
      if (a.taken[candidate.layer]) continue;
      CBOARD_RETURN_IF_ERROR(PairNearest(a, candidate, b, group->second, pairing));
    }
  }
  return {};
}

bool HasKinds(const PairingSide& side) {
  return std::ranges::any_of(side.kinds, [](const std::string& kind) { return !kind.empty(); });
}

}  // namespace

Result<void> PairByContent(PairingSide& a, PairingSide& b, LayerPairing& pairing) {
  CBOARD_RETURN_IF_ERROR(PairAlike(a, b, false, pairing));
  if (!HasKinds(a) && !HasKinds(b)) return {};
  return PairAlike(a, b, true, pairing);
}

}  // namespace cboard::compare
