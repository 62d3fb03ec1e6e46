#include "compression/model_comparison/attention_heads.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace cboard::compare {
namespace {

// The number that the file says about itself under `key`, or 0.
std::size_t NumberOf(const ModelGraph& model, const std::string& key) {
  const auto found =
      std::ranges::find(model.metadata(), key, &std::pair<std::string, std::string>::first);
  if (found == model.metadata().end()) return 0;
  const std::string& text = found->second;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::string ArchitectureOf(const ModelGraph& model) {
  for (const auto& [key, value] : model.metadata()) {
    if (key == "general.architecture") return value;
  }
  return {};
}

}  // namespace

std::size_t PairedHeadsOf(const ModelGraph& model, const ModelLayer& layer) {
  if (model.format() != ModelFormat::kGguf || layer.layout.channel_axis != 0) return 0;
  const std::string name = NameOf(model, layer);
  const bool is_query = name.ends_with("attn_q"), is_key = name.ends_with("attn_k");
  if (!is_query && !is_key) return 0;
  const std::string prefix = ArchitectureOf(model) + ".attention.head_count";
  std::size_t heads = is_key ? NumberOf(model, prefix + "_kv") : 0;
  if (heads == 0) heads = NumberOf(model, prefix);
  const std::size_t rows = SizeOf(model, layer).channels;
  return heads == 0 || heads > rows / 2 || rows % (2 * heads) != 0 ? 0 : heads;
}

void SplitPairs(std::size_t heads, std::size_t row, std::vector<float>& values) {
  const std::size_t half = values.size() / row / heads / 2;
  std::vector<float> split(values.size());
  auto to = split.begin();
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t from = ((head * half + i) * 2 + side) * row;
        to = std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), row, to);
      }
    }
  }
  values = std::move(split);
}

}  // namespace cboard::compare
