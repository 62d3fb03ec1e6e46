// The codes of quantized weights as rows, independent of the file's packing and order. Codes show
// more than real values: clipping, the number of codes in use, the size of a step.
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
  // Nothing for real numbers, for codes of more than eight bits, and for scales that change within
  // a row otherwise than from group to group. Fails as RowReader::Open does. Borrows the model.
  static Result<std::optional<CodeRows>> Open(const model::ModelGraph& model,
                                              const ModelLayer& layer);

  tensor::ComparisonOptions::CodeRange code_range() const { return range_; }

  // Rows [first, first + count), which must exist, with their scales; valid until the next call.
  TensorView Read(std::size_t first, std::size_t count);

 private:
  explicit CodeRows(RowReader rows) : rows_(std::move(rows)) {}

  RowReader rows_;
  tensor::ComparisonOptions::CodeRange range_;
  std::size_t group_size_ = 0;  // 0: one scale for each row.
  // Scales by row, then by group.
  std::vector<float> scales_;
  std::vector<std::int32_t> zero_points_;
  std::vector<std::uint8_t> codes_;  // The bytes of int8_t where codes may be negative.
};

}  // namespace cboard::compare
