#include "writer/media/dimension_order.h"

#include "cboard/base/strings.h"

namespace cboard::writer::media {
namespace {

// Converts an ASCII letter to upper case, independently of the locale. Other characters do not
// change.
char ToUpper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

Result<DimensionOrder> ParseDimensions(std::span<const std::int64_t> shape,
                                       std::string_view dataformats, std::string_view expected) {
  const auto fail = [&](const std::string& reason) {
    return Fail(ErrorCode::kInvalidArgument, "dataformats " + Quoted(dataformats) +
                                                 " does not fit a tensor of shape " +
                                                 ShapeText(shape) + ": " + reason);
  };
  if (dataformats.size() != shape.size()) {
    return fail("give one letter for each of the " + std::to_string(shape.size()) + " dimensions");
  }
  if (dataformats.size() != expected.size()) {
    return fail("it must contain each of these letters once, in the tensor's order: " +
                std::string(expected));
  }
  DimensionOrder order;
  std::size_t stride = 1;
  std::string seen;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const char letter = ToUpper(dataformats[i]);
    if (expected.find(letter) == std::string_view::npos) {
      return fail(Quoted(dataformats.substr(i, 1)) + " is not one of the letters " +
                  std::string(expected));
    }
    if (seen.find(letter) != std::string::npos) {
      return fail("'" + std::string(1, letter) + "' stands for two dimensions");
    }
    seen += letter;
    const auto size = static_cast<std::size_t>(shape[i]);
    order[letter] = {size, stride};
    stride *= size;
  }
  return order;
}

}  // namespace cboard::writer::media
