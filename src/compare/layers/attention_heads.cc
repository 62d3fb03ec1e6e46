#include "compare/layers/attention_heads.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace cboard::compare {
namespace {

// Returns the number that the file's metadata has under `key`; 0 if there is none.
std::size_t NumberOf(const model::ModelGraph& model, const std::string& key) {
  const auto found =
      std::ranges::find(model.metadata(), key, &std::pair<std::string, std::string>::first);
  if (found == model.metadata().end()) return 0;
  const std::string& text = found->second;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::string ArchitectureOf(const model::ModelGraph& model) {
  for (const auto& [key, value] : model.metadata()) {
    if (key == "general.architecture") return value;
  }
  return {};
}

}  // namespace

std::size_t PairedHeadsOf(const model::ModelGraph& model, const ModelLayer& layer) {
  if (model.format() != model::ModelFormat::kGguf || layer.layout.channel_axis != 0) return 0;
  const std::string name = NameOf(model, layer);
  const bool is_query = name.ends_with("attn_q"), is_key = name.ends_with("attn_k");
  if (!is_query && !is_key) return 0;
  const std::string prefix = ArchitectureOf(model) + ".attention.head_count";
  std::size_t heads = is_key ? NumberOf(model, prefix + "_kv") : 0;
  if (heads == 0) heads = NumberOf(model, prefix);
  const std::size_t rows = SizeOf(model, layer).channels;
  return heads == 0 || heads > rows / 2 || rows % (2 * heads) != 0 ? 0 : heads;
}

std::size_t PairedPlace(std::size_t heads, std::size_t rows, std::size_t row) {
  const std::size_t each = rows / heads, half = each / 2;
  const std::size_t head = row / each, side = row % each / half, pair = row % half;
  return head * each + 2 * pair + side;
}

}  // namespace cboard::compare
