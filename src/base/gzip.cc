#include "base/gzip.h"

#include <libdeflate.h>

#include <memory>

namespace cboard {
namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    ::libdeflate_free_compressor(compressor);
  }
};
using Compressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;

std::optional<std::string> Compress(libdeflate_compressor* compressor, std::string_view bytes) {
  if (compressor == nullptr) return std::nullopt;
  // The output buffer is as large as the input. If the output does not fit, compression is useless.
  std::string packed(bytes.size(), '\0');
  const std::size_t size = ::libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(),
                                                      packed.data(), packed.size());
  if (size == 0) return std::nullopt;
  packed.resize(size);
  return packed;
}

}  // namespace

std::optional<std::string> Gzip(std::string_view bytes, int level) {
  if (level != kQuickGzip) {
    return Compress(Compressor(::libdeflate_alloc_compressor(level)).get(), bytes);
  }
  // The compressor is reused per thread, because creating one takes longer than compressing a short
  // response.
  static thread_local const Compressor kQuick(::libdeflate_alloc_compressor(kQuickGzip));
  return Compress(kQuick.get(), bytes);
}

}  // namespace cboard
