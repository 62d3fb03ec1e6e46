#include "cboard/compression/comparison.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "cboard/base/strings.h"
#include "compression/tags/tag_key.h"

namespace cboard::compression {
namespace {

// Formats a list: [3, 224, 224].
std::string Listed(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) {
    if (text.size() > 1) text += ", ";
    text += ShortestDecimal(number);
  }
  return text + "]";
}

}  // namespace

std::string ToText(const InfoValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return ShortestDecimal(*number);
  return Listed(std::get<std::vector<double>>(value));
}

const InfoValue* FindInfo(const ModelInfo& info, std::string_view key) {
  const auto found =
      std::ranges::find_if(info, [&](const auto& fact) { return fact.first == key; });
  return found == info.end() ? nullptr : &found->second;
}

Metrics Variant::Measured() const {
  Metrics measured = metrics;
  for (const std::string& key : derived) measured.erase(key);
  return measured;
}

const Variant* ModelComparison::Find(std::string_view name) const {
  const auto found = std::ranges::find(variants, name, &Variant::name);
  return found == variants.end() ? nullptr : &*found;
}

Result<void> ModelComparison::Validate() const {
  if (Find(baseline) == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "model " + Quoted(model) + " has no variant " + Quoted(baseline) +
                    ", although this is the name of its baseline; add this variant");
  }
  std::set<std::string> keys;
  for (const Variant& variant : variants) {
    if (keys.insert(TagKeyOf(variant.name)).second) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "model " + Quoted(model) +
                    " has two variants whose metrics would get the same tag " +
                    Quoted(TagKeyOf(variant.name)) + "; rename one of them");
  }
  return {};
}

void LogReport::Add(LogReport other) {
  std::ranges::move(other.tags, std::back_inserter(tags));
  std::ranges::move(other.omitted, std::back_inserter(omitted));
}

}  // namespace cboard::compression
