// Summary values for the tests of this folder, as ReadBlob gives them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace cboard::testing {

// The one value of a Summary, without the field's key and length in front of it.
inline std::string OnlyValue(std::string_view summary) {
  std::size_t i = 1;
  while ((static_cast<unsigned char>(summary[i]) & 0x80) != 0) ++i;
  return std::string(summary.substr(i + 1));
}

inline std::string TensorBytes(std::string_view tensor,
                               const proto::SummaryMetadata& metadata = {}) {
  std::string summary;
  proto::AppendTensorValue("tag", tensor, metadata, summary);
  return OnlyValue(summary);
}

inline std::string StringTensorBytes(const std::vector<std::int64_t>& shape,
                                     const std::vector<std::string_view>& strings) {
  return TensorBytes(proto::EncodeStringTensor(shape, strings));
}

inline std::string HistogramBytes(const proto::Histogram& histogram) {
  std::string summary;
  proto::AppendHistogramValue("tag", histogram, {}, summary);
  return OnlyValue(summary);
}

}  // namespace cboard::testing
