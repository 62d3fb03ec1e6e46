#include "compression/model_comparison/tried_fixes.h"

#include <utility>

#include "cboard/tensor/what_if.h"

namespace cboard::compare {

Result<std::vector<Fix>> TryFixes(const TensorView& rows, int bits, bool is_per_channel) {
  using Granularity = Quantization::Granularity;
  const Granularity now = is_per_channel ? Granularity::kPerChannel : Granularity::kPerTensor;
  std::vector<const char*> actions = {"quantize these weights anew, as they are",
                                      "clip at the 99.9th percentile",
                                      "clip at the 99.99th percentile", "16 bits"};
  std::vector<Quantizer> quantizers = {{.bits = bits, .granularity = now},
                                       {.bits = bits, .granularity = now, .percentile = 99.9},
                                       {.bits = bits, .granularity = now, .percentile = 99.99},
                                       {.bits = 16, .granularity = now}};
  if (!is_per_channel) {
    actions.push_back("one scale per output channel");
    quantizers.push_back({.bits = bits, .granularity = Granularity::kPerChannel});
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<WhatIf> tried,
                          TryQuantizers(rows, quantizers, std::size_t{0}));
  std::vector<Fix> fixes;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Comparison& comparison = tried[i].comparison;
    Fix fix{.action = actions[i],
            .sqnr_db = comparison.total.SqnrDb(),
            .size_bytes = tried[i].size_bytes};
    if (const auto worst = comparison.worst_channel) {
      fix.worst_channel_sqnr_db = comparison.channels[*worst].SqnrDb();
    }
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace cboard::compare
