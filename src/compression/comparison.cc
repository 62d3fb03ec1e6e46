#include "cboard/compression/comparison.h"

#include <algorithm>
#include <iterator>

namespace cboard {

const InfoValue* FindInfo(const ModelInfo& info, std::string_view key) {
  const auto found =
      std::ranges::find_if(info, [&](const auto& fact) { return fact.first == key; });
  return found == info.end() ? nullptr : &found->second;
}

const Variant* ModelComparison::Find(std::string_view name) const {
  const auto found = std::ranges::find(variants, name, &Variant::name);
  return found == variants.end() ? nullptr : &*found;
}

void LogReport::Add(LogReport other) {
  std::ranges::move(other.tags, std::back_inserter(tags));
  std::ranges::move(other.omitted, std::back_inserter(omitted));
}

}  // namespace cboard
