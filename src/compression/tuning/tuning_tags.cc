#include <algorithm>

#include "cboard/compression/tuning_names.h"

namespace cboard::compression {
namespace {

// Returns true if `op` is the name of `group` and a number: conv1.0 for conv1.
bool IsNumberedChild(std::string_view op, std::string_view group) {
  if (op.size() < group.size() + 2 || !op.starts_with(group) || op[group.size()] != '.') {
    return false;
  }
  return op.find_first_not_of("0123456789", group.size() + 1) == std::string_view::npos;
}

std::string WithoutPackedParameters(std::string_view op) {
  constexpr std::string_view kPacked = "._packed_params";
  std::string name(op);
  for (std::size_t at = name.find(kPacked); at != std::string::npos; at = name.find(kPacked, at)) {
    name.erase(at, kPacked.size());
  }
  return name;
}

}  // namespace

std::string OutputTag(std::string_view op, std::string_view precision) {
  return std::string(op) + "/Output/" + std::string(precision);
}

std::string ParameterTag(std::string_view op, std::string_view parameter,
                         std::string_view precision) {
  std::string tag = WithoutPackedParameters(op);
  if (!tag.empty()) tag += '/';  // A parameter of the model itself belongs to no operator.
  return tag + std::string(parameter) + "/" + std::string(precision);
}

std::string NodeOutputTag(std::string_view node, std::string_view precision) {
  return std::string(node) + "_" + std::string(precision) + ".output";
}

void FusedOps::Add(std::string group, const std::vector<std::string>& members) {
  for (const std::string& member : members) {
    members_[member] = {.group = group, .is_last = &member == &members.back()};
  }
}

std::optional<std::string> FusedOps::OutputName(std::string_view op) const {
  const auto found = members_.find(op);
  if (found == members_.end()) return std::string(op);
  if (!found->second.is_last) return std::nullopt;
  return found->second.group;
}

std::string FusedOps::ParameterOwner(std::string_view op) const {
  const auto found = members_.find(op);
  const bool merges = found != members_.end() && IsNumberedChild(op, found->second.group);
  return merges ? found->second.group : std::string(op);
}

}  // namespace cboard::compression
