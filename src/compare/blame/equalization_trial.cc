#include "compare/blame/equalization_trial.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "compare/blame/trial_values.h"

namespace cboard::compare {
namespace {

double SizeOfChannel(const tensor::PairStatistics& channel) {
  return channel.finite_count() == 0 ? 0 : std::max(-channel.reference.min, channel.reference.max);
}

double MedianSize(const std::vector<tensor::PairStatistics>& channels) {
  std::vector<double> sizes;
  for (const tensor::PairStatistics& channel : channels) sizes.push_back(SizeOfChannel(channel));
  std::ranges::sort(sizes);
  return sizes.empty() ? 0 : sizes[sizes.size() / 2];
}

// Finds the weights by which an output is multiplied. Returns false if the output has another
// reader.
bool FindReaders(const BlameCase& found, const SwitchedPart& part,
                 std::vector<std::size_t>& readers) {
  for (const model::NodeId id : found.variant.consumers(part.tensor)) {
    const model::ModelNode& quantize = found.variant.node(id);
    if (quantize.op_type != "QuantizeLinear") continue;
    for (const model::NodeId other : found.variant.consumers(quantize.outputs[0])) {
      const model::ModelNode& dequantize = found.variant.node(other);
      if (dequantize.outputs.empty()) return false;
      for (const model::NodeId reader : found.variant.consumers(dequantize.outputs[0])) {
        const auto place = std::ranges::find_if(found.parts, [&](const SwitchedPart& each) {
          return each.part == Part::kWeight && each.node == reader && each.weights != nullptr;
        });
        if (place == found.parts.end()) return false;
        readers.push_back(static_cast<std::size_t>(place - found.parts.begin()));
      }
    }
  }
  return true;
}

}  // namespace

std::optional<TriedFix> EqualizationTrial(const BlameCase& found, const SwitchBoard& board,
                                          const RootCause& cause) {
  if (cause.why.channels.empty()) return std::nullopt;
  for (const std::size_t i : cause.parts) {
    const SwitchedPart& part = found.parts[i];
    const LayerComparison* row = found.RowOf(part);
    if (part.part != Part::kOutput || row == nullptr || !row->accumulated) continue;
    const auto& channels = row->accumulated->channels;
    std::vector<std::size_t> readers;
    if (!FindReaders(found, part, readers) || readers.empty()) continue;
    const double usual = MedianSize(channels);
    if (!(usual > 0)) continue;
    std::vector<double> factors;
    double largest = 0;
    for (const tensor::PairStatistics& channel : channels) {
      const double size = SizeOfChannel(channel);
      factors.push_back(std::sqrt(std::max(size, 0.01 * usual) / usual));
      largest = std::max(largest, size / factors.back());
    }
    TrialGrid grid{.scales = {}, .shape = {}, .low = -127, .high = 127};
    for (const double factor : factors) {
      grid.scales.push_back(static_cast<float>(largest / 127 * factor));
    }
    grid.shape = {static_cast<std::int64_t>(channels.size())};
    TriedFix fix{.action =
                     "move the size of the outlier channels into the weights behind them "
                     "(SmoothQuant)",
                 .price = "none at run time; the model is rewritten before quantization",
                 .setting =
                     "quantize_static(model_input, model_output, "
                     "calibration_data_reader,\n"
                     "                extra_options={'SmoothQuant': True})  # needs "
                     "neural-compressor\n",
                 .price_rank = 5};
    fix.changes.emplace_back(i, ByTrial(std::make_shared<const TrialGrid>(std::move(grid))));
    bool fits = true;
    for (const std::size_t reader : readers) {
      const WeightRows* rows = board.RowsOf(reader);
      if (rows == nullptr || rows->row != factors.size()) {
        fits = false;
        break;
      }
      WeightRows scaled = *rows;
      for (std::size_t k = 0; k < scaled.values.size(); ++k) {
        scaled.values[k] = static_cast<float>(scaled.values[k] * factors[k % rows->row]);
      }
      auto rounded = *Requantized(scaled, 8, rows->row, true);
      for (std::size_t k = 0; k < rounded.size(); ++k) {
        rounded[k] = static_cast<float>(rounded[k] / factors[k % rows->row]);
      }
      fix.changes.emplace_back(
          reader,
          Setting{.state = PartState::kTrial,
                  .grid = nullptr,
                  .values = std::make_shared<const std::vector<float>>(std::move(rounded))});
    }
    return fits ? std::optional(std::move(fix)) : std::nullopt;  // One trial is enough to tell.
  }
  return std::nullopt;
}

}  // namespace cboard::compare
