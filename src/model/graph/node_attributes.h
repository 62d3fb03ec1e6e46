// Reads the attributes of a node. The caller knows the expected type.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

inline std::int64_t IntOf(const ModelNode& node, std::string_view key, std::int64_t otherwise) {
  const AttributeValue* value = node.FindAttribute(key);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? otherwise : *number;
}

// Returns the value of a numeric attribute, which may be stored as an integer. Returns `otherwise`
// if there is none.
inline double NumberOf(const ModelNode& node, std::string_view key, double otherwise) {
  const AttributeValue* value = node.FindAttribute(key);
  if (const auto* number = value == nullptr ? nullptr : std::get_if<double>(value)) return *number;
  if (const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value)) {
    return static_cast<double>(*number);
  }
  return otherwise;
}

// Returns the value of an attribute that is a list of integers, or null if there is none.
inline const std::vector<std::int64_t>* IntsOf(const ModelNode& node, std::string_view key) {
  const AttributeValue* value = node.FindAttribute(key);
  return value == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(value);
}

inline std::string_view TextOf(const ModelNode& node, std::string_view key) {
  const AttributeValue* value = node.FindAttribute(key);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

}  // namespace cboard::model
