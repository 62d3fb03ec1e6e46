#include "model/graph/given_shapes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "cboard/base/strings.h"

namespace cboard::model {
namespace {

using Shape = std::vector<std::int64_t>;

// Maximum rank, size of a dimension, and number of elements of a given shape. Real inputs are
// smaller. With these limits, products of sizes cannot overflow.
constexpr std::size_t kMaxRank = 16;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 31;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

// "1,3,48,320"
std::string Typed(const Shape& shape) {
  std::string text;
  for (std::size_t i = 0; i < std::min(shape.size(), kMaxRank); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() > kMaxRank ? ",…" : "");
}

// Formats the declaration of an input: "'x' float32 [batch, 3, ?, 320]".
std::string Declared(const ModelTensor& input) {
  std::string text = Quoted(input.name) + " " + std::string(NameOf(input.type)) + " ";
  if (!input.has_shape) return text + "of any shape";
  text += "[";
  for (std::size_t i = 0; i < std::min(input.shape.size(), kMaxRank); ++i) {
    text += i > 0 ? ", " : "";
    const bool is_named = i < input.dimension_names.size() && !input.dimension_names[i].empty();
    text += input.shape[i] >= 0 ? std::to_string(input.shape[i])
            : is_named          ? ToValidUtf8(input.dimension_names[i])
                                : "?";
  }
  return text + (input.shape.size() > kMaxRank ? ", …]" : "]");
}

// Returns an example of a valid shape for an input. Error messages show it.
std::string Example(const ModelTensor& input) {
  Shape shape = input.shape;
  for (std::int64_t& size : shape) {
    if (size < 0) size = &size == shape.data() ? 1 : 32;
  }
  return shape.empty() ? "1,3,224,224" : Typed(shape);
}

Error Mistake(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<void> CheckSizes(std::string_view input, const Shape& shape) {
  const std::string given =
      "the shape " + Typed(shape) + " that was given for input " + Quoted(input);
  if (shape.size() > kMaxRank) {
    return Fail(Mistake("invalid input shape: " + given + " has more than " +
                        std::to_string(kMaxRank) + " sizes"));
  }
  for (const std::int64_t size : shape) {
    if (size < 0)
      return Fail(Mistake("invalid input shape: " + given +
                          " has a negative size; give a number for each"));
    if (size > kMaxSize)
      return Fail(Mistake("invalid input shape: " + given + " has a size above 2^31"));
  }
  const std::optional<std::uint64_t> count = ElementCount(shape);
  if (!count || *count > kMaxElements) {
    return Fail(Mistake("invalid input shape: " + given +
                        " has more than 2^40 elements; give a smaller one"));
  }
  return {};
}

// Finds the model's input with the name `name`. An empty name means the only input.
Result<TensorId> FindInput(const std::string& name, const GraphAssembler& graph) {
  const std::vector<TensorId>& inputs = graph.inputs();
  if (name.empty() && inputs.size() == 1) return inputs[0];
  std::string known;
  for (const TensorId id : inputs) {
    if (!name.empty() && graph.tensor(id).name == name) return id;
    if (known.size() < 1000) known += (known.empty() ? "" : ", ") + Declared(graph.tensor(id));
  }
  if (inputs.empty()) {
    return Fail(Mistake("a shape was given, but the model has no inputs; omit the shape"));
  }
  const ModelTensor& first = graph.tensor(inputs[0]);
  return Fail(Mistake((name.empty() ? "a shape was given without the name of an input"
                                    : "there is no input " + Quoted(name)) +
                      "; the model has " + known + "; write for example " + first.name + "=" +
                      Example(first)));
}

Result<void> CheckAgainst(const ModelTensor& input, const Shape& shape) {
  if (!input.has_shape) return {};
  bool fits = shape.size() == input.shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    fits = input.shape[i] < 0 || input.shape[i] == shape[i];
  }
  if (fits) return {};
  return Fail(Mistake("the shape " + Typed(shape) + " differs from the shape of input " +
                      Declared(input) + "; write for example " + input.name + "=" +
                      Example(input)));
}

}  // namespace

Result<void> GiveInputShapes(const InputShapes& shapes, GraphAssembler& graph) {
  // The size of each named dimension. If two inputs give different sizes for a name, the name is
  // not used for other tensors: some files use the same name for different sizes.
  std::unordered_map<std::string, std::int64_t> sizes;
  for (const auto& [name, shape] : shapes) {
    CBOARD_ASSIGN_OR_RETURN(const TensorId id, FindInput(name, graph));
    ModelTensor& input = graph.tensor(id);
    CBOARD_RETURN_IF_ERROR(CheckSizes(input.name, shape));
    CBOARD_RETURN_IF_ERROR(CheckAgainst(input, shape));
    for (std::size_t i = 0; i < input.dimension_names.size(); ++i) {
      const std::string& dimension = input.dimension_names[i];
      if (dimension.empty() || dimension == "?") continue;
      const auto [known, is_new] = sizes.try_emplace(dimension, shape[i]);
      if (!is_new && known->second != shape[i]) known->second = -1;
    }
    input.has_shape = true;
    input.shape = shape;
  }
  if (sizes.empty()) return {};
  for (ModelTensor& tensor : graph.tensors()) {
    for (std::size_t i = 0; i < tensor.dimension_names.size(); ++i) {
      if (tensor.shape[i] >= 0) continue;
      const auto known = sizes.find(tensor.dimension_names[i]);
      if (known != sizes.end()) tensor.shape[i] = known->second;
    }
  }
  return {};
}

std::string ToText(const InputShapes& shapes) {
  std::string text;
  for (const auto& [name, shape] : shapes) {
    text += (text.empty() ? "" : " ") + name + (name.empty() ? "" : "=") + Typed(shape);
  }
  return text;
}

Result<void> AddInputShape(std::string_view text, InputShapes& shapes) {
  // Splits at the last "=": names may contain this character, sizes cannot.
  const std::size_t equals = text.rfind('=');
  const bool is_named = equals != std::string_view::npos;
  const std::string name(is_named ? text.substr(0, equals) : std::string_view());
  const std::string_view sizes = is_named ? text.substr(equals + 1) : text;
  const auto mistake = [&](const std::string& what) {
    return Fail(Mistake("the shape " + Quoted(text) + " " + what +
                        "; write the sizes with commas, and name the input if the model has "
                        "several: x=1,3,48,320"));
  };
  if (is_named && name.empty()) return mistake("has no input name before '='");
  Shape shape;
  for (const std::string_view part : Split(sizes, ',')) {
    if (sizes.empty()) break;  // A scalar.
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
    if (error == std::errc::result_out_of_range) return mistake("has a size that is not a number");
    if (error != std::errc() || end != part.data() + part.size()) {
      return mistake("has " + Quoted(part) + " for a size");
    }
    if (size < 0) return mistake("has a negative size");
    shape.push_back(size);
  }
  if (!is_named && shape.empty()) return mistake("is empty");
  if (!shapes.try_emplace(name, std::move(shape)).second) {
    return mistake(is_named ? "is the second shape for the same input" : "is the second one");
  }
  return {};
}

}  // namespace cboard::model
