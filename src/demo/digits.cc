#include "demo/digits.h"

#include <libdeflate.h>

#include <charconv>
#include <memory>
#include <string>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::demo {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
constexpr int kMaxPixel = 16;

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> Unpacked(std::string packed) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor)
    return Fail(ErrorCode::kResourceExhausted,
                "there is not enough memory to decompress the digits");
  // The uncompressed size is unknown; a text that exceeds the limit is refused.
  std::string text(kMaxFileBytes, '\0');
  std::size_t size = 0;
  const libdeflate_result result = libdeflate_gzip_decompress(
      decompressor.get(), packed.data(), packed.size(), text.data(), text.size(), &size);
  if (result != LIBDEFLATE_SUCCESS) {
    return Fail(ErrorCode::kDataLoss,
                "the file of the digits is not a gzip file, or it contains more than 16 MiB of "
                "text; download it again");
  }
  text.resize(size);
  return text;
}

// Returns the numbers in a line. Returns an empty list if a cell is not a number.
std::vector<float> NumbersOf(std::string_view line) {
  std::vector<float> numbers;
  for (const std::string_view cell : cboard::Split(line, ',')) {
    float number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc() || end != cell.data() + cell.size()) return {};
    numbers.push_back(number);
  }
  return numbers;
}

bool IsDigit(std::span<const float> numbers) {
  if (numbers.size() != kDigitPixels + 1) return false;
  for (const float pixel : numbers.first(kDigitPixels)) {
    if (!(pixel >= 0 && pixel <= kMaxPixel)) return false;
  }
  return numbers.back() >= 0 && numbers.back() < static_cast<float>(kDigitClasses);
}

}  // namespace

Result<Digits> ReadDigits(const std::filesystem::path& file) {
  CBOARD_ASSIGN_OR_RETURN(std::string text, ReadFile(file, kMaxFileBytes));
  const std::string where = Quoted(file.native(), 1000);
  if (IsGzip(text)) {
    Result<std::string> unpacked = Unpacked(std::move(text));
    if (!unpacked) return Fail(Annotate(std::move(unpacked).error(), where));
    text = *std::move(unpacked);
  }
  Digits digits;
  std::size_t line_number = 0;
  for (std::string_view line : cboard::Split(text, '\n')) {
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<float> numbers = NumbersOf(line);
    if (!IsDigit(numbers)) {
      return Fail(ErrorCode::kDataLoss,
                  where + ":" + std::to_string(line_number) +
                      ": expected 64 pixels from 0 to 16 and a label from 0 to 9, found " +
                      Quoted(line, 40));
    }
    for (std::size_t i = 0; i < kDigitPixels; ++i) digits.pixels.push_back(numbers[i] / kMaxPixel);
    digits.labels.push_back(static_cast<std::uint8_t>(numbers.back()));
  }
  if (digits.size() < 100) {
    return Fail(ErrorCode::kDataLoss,
                where + ": " + std::to_string(digits.size()) +
                    " images are too few; use digits.csv.gz of scikit-learn, which has 1,797");
  }
  return digits;
}

DigitsSplit Split(const Digits& digits) {
  DigitsSplit split;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    Digits& side = i % 4 == 3 ? split.test : split.train;
    const std::span<const float> image = digits.image(i);
    side.pixels.insert(side.pixels.end(), image.begin(), image.end());
    side.labels.push_back(digits.labels[i]);
  }
  return split;
}

}  // namespace cboard::demo
