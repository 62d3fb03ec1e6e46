// A layer's weights, a few of them, by which it is known among others that are of its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compression/model_comparison/model_layers.h"

namespace cboard::compare {

// At most 32 rows of at most 64 elements, the same ones of all layers of one size. Factors of
// channels do not change it.
class WeightSketch {
 public:
  // Fails as ReadRows does. Reads no more than the sketch needs.
  static Result<WeightSketch> Of(const ModelGraph& model, const ModelLayer& layer);

  // The mean cosine between this one's rows and those of `other`, which is of the same size.
  double Alikeness(const WeightSketch& other) const;

  // Tells on which side of this many random planes rows lie. Noise of 20 dB turns one in thirty.
  static constexpr std::size_t kSigns = 96;
  bool SignAt(std::size_t plane) const { return (signs_[plane / 32] >> plane % 32 & 1) != 0; }

 private:
  void SetSigns();

  std::size_t rows_ = 0;
  std::size_t rows_in_use_ = 0;  // Those that are not all zero.
  std::vector<float> values_;    // Rows of length one.
  std::uint32_t signs_[kSigns / 32] = {};
};

// Finds sketches that are near to another one without looking at all of them. Borrows them.
class SketchIndex {
 public:
  explicit SketchIndex(std::span<const WeightSketch> sketches);

  // Positions of those that lie on the same sides of a few planes, for one of several choices of
  // planes, in ascending order; of few sketches, all.
  std::vector<std::size_t> Near(const WeightSketch& sketch) const;

 private:
  static constexpr std::size_t kTables = 8;

  std::uint32_t KeyOf(const WeightSketch& sketch, std::size_t table) const;

  std::size_t planes_ = 0;  // Of each table.
  // Positions by key, those of a key behind each other; and where each key begins.
  struct Table {
    std::vector<std::uint32_t> begins, positions;
  };
  std::vector<Table> tables_;
};

}  // namespace cboard::compare
