// Detects the file type of a sample by its first bytes.
#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/base/bytes.h"
#include "cboard/reader/media_query.h"

namespace cboard::reader {
namespace {

using std::string_view_literals::operator""sv;

bool Has(std::string_view bytes, std::size_t offset, std::string_view magic) {
  return bytes.size() >= offset + magic.size() && bytes.substr(offset, magic.size()) == magic;
}

std::int64_t Byte(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}
std::int64_t Little16(std::string_view bytes, std::size_t i) {
  return Byte(bytes, i) | Byte(bytes, i + 1) << 8;
}
std::int64_t Little24(std::string_view bytes, std::size_t i) {
  return Little16(bytes, i) | Byte(bytes, i + 2) << 16;
}
std::int64_t Big16(std::string_view bytes, std::size_t i) {
  return Byte(bytes, i) << 8 | Byte(bytes, i + 1);
}
std::int64_t Big32(std::string_view bytes, std::size_t i) {
  return Big16(bytes, i) << 16 | Big16(bytes, i + 2);
}

// Returns the size of a JPEG. It is in the frame header, after any number of segments. A segment
// consists of 0xFF, its type, its length and its data.
std::optional<PixelSize> SizeOfJpeg(std::string_view bytes) {
  std::size_t i = 2;
  while (i + 9 <= bytes.size()) {
    if (Byte(bytes, i) != 0xFF) return std::nullopt;
    const std::int64_t kind = Byte(bytes, i + 1);
    if (kind == 0xFF) {  // A padding byte.
      ++i;
      continue;
    }
    const bool is_frame =
        kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
    if (is_frame) return PixelSize{Big16(bytes, i + 7), Big16(bytes, i + 5)};
    i += 2;
    const bool stands_alone = kind == 0x01 || (kind >= 0xD0 && kind <= 0xD7);
    if (!stands_alone) i += static_cast<std::size_t>(std::max<std::int64_t>(Big16(bytes, i), 2));
  }
  return std::nullopt;
}

std::optional<PixelSize> SizeOfWebp(std::string_view bytes) {
  if (bytes.size() < 30) return std::nullopt;
  if (Has(bytes, 12, "VP8X")) return PixelSize{Little24(bytes, 24) + 1, Little24(bytes, 27) + 1};
  if (Has(bytes, 12, "VP8 ")) {
    return PixelSize{Little16(bytes, 26) & 0x3FFF, Little16(bytes, 28) & 0x3FFF};
  }
  if (Has(bytes, 12, "VP8L")) {
    const std::int64_t bits = Little24(bytes, 21) | Byte(bytes, 24) << 24;
    return PixelSize{(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  return std::nullopt;
}

}  // namespace

MediaType SniffMediaType(std::string_view bytes) {
  if (Has(bytes, 0, "\x89PNG\r\n\x1a\n"sv)) return MediaType::kPng;
  if (Has(bytes, 0, "GIF87a") || Has(bytes, 0, "GIF89a")) return MediaType::kGif;
  if (Has(bytes, 0, "\xff\xd8\xff"sv)) return MediaType::kJpeg;
  if (Has(bytes, 0, "RIFF") && Has(bytes, 8, "WEBP")) return MediaType::kWebp;
  if (Has(bytes, 0, "RIFF") && Has(bytes, 8, "WAVE")) return MediaType::kWav;
  if (Has(bytes, 0, "BM") && bytes.size() >= 26) return MediaType::kBmp;
  return MediaType::kUnknown;
}

std::string_view MimeTypeOf(MediaType type) {
  switch (type) {
    case MediaType::kPng:
      return "image/png";
    case MediaType::kGif:
      return "image/gif";
    case MediaType::kJpeg:
      return "image/jpeg";
    case MediaType::kWebp:
      return "image/webp";
    case MediaType::kBmp:
      return "image/bmp";
    case MediaType::kWav:
      return "audio/wav";
    case MediaType::kUnknown:
      break;
  }
  return "application/octet-stream";
}

std::optional<PixelSize> SniffPixelSize(std::string_view bytes) {
  switch (SniffMediaType(bytes)) {
    case MediaType::kPng:
      if (bytes.size() < 24) return std::nullopt;
      return PixelSize{Big32(bytes, 16), Big32(bytes, 20)};
    case MediaType::kGif:
      if (bytes.size() < 10) return std::nullopt;
      return PixelSize{Little16(bytes, 6), Little16(bytes, 8)};
    case MediaType::kJpeg:
      return SizeOfJpeg(bytes);
    case MediaType::kWebp:
      return SizeOfWebp(bytes);
    case MediaType::kBmp: {
      // The height is negative if the image is stored from top to bottom.
      const ByteSpan header = AsBytes(bytes);
      return PixelSize{LoadLittleEndian<std::int32_t>(header.subspan(18)),
                       std::abs(std::int64_t{LoadLittleEndian<std::int32_t>(header.subspan(22))})};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace cboard::reader
