// Makes unique names for graph nodes. TensorBoard can match these names with the edges of the
// graph.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cboard::writer {

// Converts `name` to a valid node name. In the inputs of a GraphDef, ":k" at the end of a name
// selects an output, and "^" at the start marks a control edge. A node name must contain neither:
// "conv:0" becomes "conv", "conv:1" becomes "conv_1", and "^x" becomes "_x".
inline std::string NodeName(std::string_view name) {
  std::string result(name);
  if (!result.empty() && result.front() == '^') result.front() = '_';
  const std::size_t colon = result.rfind(':');
  if (colon == std::string::npos || colon + 1 == result.size() || colon == 0 ||
      result.find_first_not_of("0123456789", colon + 1) != std::string::npos) {
    return result;
  }
  if (result.substr(colon) == ":0") {
    result.resize(colon);
  } else {
    result[colon] = '_';
  }
  return result;
}

// Makes names unique: a name that is already used gets "_2", "_3", …
class UniqueNames {
 public:
  std::string Take(std::string_view wanted) {
    const std::string stem = NodeName(wanted);
    const auto [entry, fresh] = uses_.try_emplace(stem, 1);
    if (fresh) return stem;
    int& uses = entry->second;  // The reference stays valid while the map grows.
    std::string name;
    do {
      name = stem + "_" + std::to_string(++uses);
    } while (!uses_.try_emplace(name, 1).second);
    return name;
  }

 private:
  std::unordered_map<std::string, int> uses_;
};

}  // namespace cboard::writer
