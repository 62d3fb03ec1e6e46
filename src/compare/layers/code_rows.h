// Reads the integer codes of quantized weights as rows, independent of the file's packing and
// order. Codes show more than real values: clipping, the number of codes in use, the size of a
// step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/compare.h"
#include "compare/layers/weight_rows.h"

namespace cboard::compare {

class CodeRows {
 public:
  // Returns nullopt for float weights, for codes of more than eight bits, and if a row has several
  // scales but no groups of equal size. Fails if RowReader::Open fails. Borrows the model.
  static Result<std::optional<CodeRows>> Open(const model::ModelGraph& model,
                                              const ModelLayer& layer);

  tensor::ComparisonOptions::CodeRange code_range() const { return range_; }

  // Returns rows [first, first + count) with their scales; valid until the next call. The rows must
  // exist.
  TensorView Read(std::size_t first, std::size_t count);

 private:
  explicit CodeRows(RowReader rows) : rows_(std::move(rows)) {}

  RowReader rows_;
  tensor::ComparisonOptions::CodeRange range_;
  std::size_t group_size_ = 0;  // 0: one scale per row.
  // The quantization scales in row-major order [rows, groups].
  std::vector<float> scales_;
  std::vector<std::int32_t> zero_points_;
  std::vector<std::uint8_t> codes_;  // Holds the bytes of int8_t if codes can be negative.
};

}  // namespace cboard::compare
