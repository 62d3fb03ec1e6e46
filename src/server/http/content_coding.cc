#include "server/http/content_coding.h"

#include <libdeflate.h>

#include <memory>

#include "server/http/header_text.h"

namespace cboard {
namespace {

// "0", "0.0", "0.000"
bool IsZero(std::string_view number) {
  return !number.empty() && number.find_first_not_of("0.") == std::string_view::npos;
}

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    ::libdeflate_free_compressor(compressor);
  }
};
using Compressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;

std::optional<std::string> Compress(libdeflate_compressor* compressor, std::string_view bytes) {
  if (compressor == nullptr) return std::nullopt;
  // Room for less than the bytes themselves: when that is not enough, it was not worth it.
  std::string packed(bytes.size(), '\0');
  const std::size_t size = ::libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(),
                                                      packed.data(), packed.size());
  if (size == 0) return std::nullopt;
  packed.resize(size);
  return packed;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view parameters = TakeUntil(accept_encoding, ',');
    const std::string_view coding = TakeUntil(parameters, ';');
    bool refused = false;
    while (!parameters.empty()) {
      std::string_view value = TakeUntil(parameters, ';');
      if (EqualIgnoringCase(TakeUntil(value, '='), "q")) refused = IsZero(Trimmed(value));
    }
    if (EqualIgnoringCase(coding, "gzip") || EqualIgnoringCase(coding, "x-gzip")) return !refused;
    if (coding == "*") any = !refused;
  }
  return any;
}

bool IsCompressible(std::string_view content_type) {
  const std::string_view type = TakeUntil(content_type, ';');
  return type.starts_with("text/") || type == "application/json" ||
         type == "application/javascript" || type == "application/xml" ||
         type == "application/manifest+json" || type == "image/svg+xml";
}

std::optional<std::string> Gzip(std::string_view bytes, int level) {
  if (level != kQuickGzip) {
    return Compress(Compressor(::libdeflate_alloc_compressor(level)).get(), bytes);
  }
  // Making a compressor takes longer than compressing a short answer.
  static thread_local const Compressor kQuick(::libdeflate_alloc_compressor(kQuickGzip));
  return Compress(kQuick.get(), bytes);
}

}  // namespace cboard
