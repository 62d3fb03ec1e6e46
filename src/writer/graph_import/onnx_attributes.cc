#include "writer/graph_import/onnx_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "cboard/base/strings.h"

namespace cboard::writer {
namespace {

using proto::OnnxAttribute;
using proto::OnnxAttributeKind;

constexpr std::size_t kMaxListed = 64;
constexpr std::size_t kMaxTextBytes = 256;

template <typename Number>
std::string TextOf(Number number) {
  std::array<char, 32> digits;
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return std::string(digits.data(), end);
}

std::string TextOf(std::string_view text) { return Quoted(text, kMaxTextBytes); }

template <typename Element>
std::string ListOf(const std::vector<Element>& elements) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(elements.size(), kMaxListed); ++i) {
    if (i > 0) text += ", ";
    text += TextOf(elements[i]);
  }
  if (elements.size() > kMaxListed) text += ", … " + HumanCount(elements.size()) + " in all";
  return text + "]";
}

// Formats the value of an attribute that has one value. If a file contains several, the last one is
// used.
template <typename Element>
std::string SingleOf(const std::vector<Element>& elements) {
  return elements.empty() ? "?" : TextOf(elements.back());
}

std::string ValueOf(const OnnxAttribute& attribute) {
  switch (attribute.kind) {
    case OnnxAttributeKind::kFloat:
      return SingleOf(attribute.floats);
    case OnnxAttributeKind::kInt:
      return SingleOf(attribute.ints);
    case OnnxAttributeKind::kString:
      return SingleOf(attribute.strings);
    case OnnxAttributeKind::kFloats:
      return ListOf(attribute.floats);
    case OnnxAttributeKind::kInts:
      return ListOf(attribute.ints);
    case OnnxAttributeKind::kStrings:
      return ListOf(attribute.strings);
    case OnnxAttributeKind::kTensor:
      return "tensor " +
             std::string(
                 proto::NameOf(proto::DataTypeOf(proto::DTypeOfOnnx(attribute.tensor.elem_type)))) +
             " " + ListOf(attribute.tensor.shape);
    case OnnxAttributeKind::kSparseTensor:
      return "sparse tensor";
    case OnnxAttributeKind::kGraph:
      return "graph";
    case OnnxAttributeKind::kTensors:
      return "tensors";
    case OnnxAttributeKind::kGraphs:
      return "graphs";
    case OnnxAttributeKind::kNone:
      break;
  }
  return "[]";  // An empty list has no type in the file, so its elements are unknown.
}

}  // namespace

std::string ParametersOf(const proto::OnnxNode& node) {
  std::string text;
  for (const OnnxAttribute& attribute : node.attributes) {
    if (!text.empty()) text += ", ";
    text += ToValidUtf8(attribute.name) + " = " + ValueOf(attribute);
  }
  return text;
}

}  // namespace cboard::writer
