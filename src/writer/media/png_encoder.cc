#include "writer/media/png_encoder.h"

#include <libdeflate.h>

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/check.h"
#include "writer/media/compressibility.h"
#include "writer/media/png_filter.h"

namespace cboard::writer::media {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
// Size of all parts of a PNG file except the compressed pixels: the signature, the header, and the
// length, type and checksum of three chunks.
constexpr std::size_t kFixedBytes = 8 + 13 + 3 * 12;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

// Compression levels of libdeflate. Level 0 stores the bytes uncompressed; above level 6, images
// hardly get smaller.
constexpr int kStore = 0, kFastest = 1, kFastestForRuns = 2, kSmallest = 6;

// Memory that a thread reuses for its next image. It saves time: creating a compressor clears more
// memory than a small image has, and new memory pages are slow.
class Workspace {
 public:
  // Returns the compressor for a level; fails if there is no memory for it.
  Result<libdeflate_compressor*> Compressor(int level) {
    Owned& compressor = compressors_[static_cast<std::size_t>(level)];
    if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
    if (!compressor)
      return Fail(ErrorCode::kResourceExhausted, "there is not enough memory to compress an image");
    return compressor.get();
  }

  // Returns a buffer of at least `size` bytes. Its content is undefined. It is valid until the next
  // call or Trim.
  std::span<std::uint8_t> Filtered(std::size_t size) { return Room(filtered_, size); }
  std::span<std::uint8_t> Compressed(std::size_t size) { return Room(compressed_, size); }

  // Releases memory that only large images need.
  void Trim() {
    for (auto* buffer : {&filtered_, &compressed_}) {
      if (buffer->size() > kKeptBytes) *buffer = {};
    }
  }

 private:
  using Owned = std::unique_ptr<libdeflate_compressor, FreeCompressor>;
  static constexpr std::size_t kKeptBytes = std::size_t{2} << 20;

  static std::span<std::uint8_t> Room(std::vector<std::uint8_t>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer = std::vector<std::uint8_t>(size);
    return std::span(buffer).first(size);
  }

  std::array<Owned, kSmallest + 1> compressors_;
  std::vector<std::uint8_t> filtered_, compressed_;
};

int LevelFor(std::span<const std::uint8_t> filtered, PngCompression compression) {
  if (compression == PngCompression::kSmall) return kSmallest;
  switch (EstimateCompressibility(filtered)) {
    case Compressibility::kNone:
      return kStore;
    case Compressibility::kSome:
      return kFastest;
    case Compressibility::kHigh:
      return kFastestForRuns;
  }
  return kFastest;
}

// Appends a number in PNG's byte order, which is big-endian.
void AppendBigEndian(std::uint32_t value, std::string& file) {
  for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(value >> shift);
}

// Appends a PNG chunk: length, type, data, and a checksum of type and data.
void AppendChunk(std::string_view type, std::string_view data, std::string& file) {
  AppendBigEndian(static_cast<std::uint32_t>(data.size()), file);
  const std::size_t begin = file.size();
  file += type;
  file += data;
  AppendBigEndian(libdeflate_crc32(0, file.data() + begin, file.size() - begin), file);
}

std::string Header(const Pixels& pixels) {
  constexpr std::array<char, 4> kColorTypes = {0, 4, 2, 6};  // Gray, gray + alpha, RGB, RGBA.
  std::string header;
  AppendBigEndian(static_cast<std::uint32_t>(pixels.width), header);
  AppendBigEndian(static_cast<std::uint32_t>(pixels.height), header);
  header += '\x08';  // Bits per channel.
  header += kColorTypes[pixels.channels - 1];
  header.append(3, '\0');  // Deflate, adaptive filters, not interlaced.
  return header;
}

}  // namespace

Result<std::string> EncodePng(const Pixels& pixels, PngCompression compression) {
  CBOARD_RETURN_IF_ERROR(ValidatePixels(pixels));
  thread_local Workspace workspace;
  const std::span filtered = workspace.Filtered(pixels.height * (pixels.row_bytes() + 1));
  FilterRows(pixels, filtered);

  CBOARD_ASSIGN_OR_RETURN(libdeflate_compressor* const compressor,
                          workspace.Compressor(LevelFor(filtered, compression)));
  const std::span compressed =
      workspace.Compressed(libdeflate_zlib_compress_bound(compressor, filtered.size()));
  const std::size_t size = libdeflate_zlib_compress(compressor, filtered.data(), filtered.size(),
                                                    compressed.data(), compressed.size());
  // The buffer is as large as the compressor's upper bound, so compression cannot fail.
  CBOARD_CHECK(size > 0);

  std::string file;
  file.reserve(kFixedBytes + size);
  file += kSignature;
  AppendChunk("IHDR", Header(pixels), file);
  AppendChunk("IDAT", AsText(std::as_bytes(compressed.first(size))), file);
  AppendChunk("IEND", {}, file);
  workspace.Trim();
  return file;
}

}  // namespace cboard::writer::media
