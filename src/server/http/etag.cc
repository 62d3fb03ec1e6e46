#include "server/http/etag.h"

#include <isa-l/crc.h>
#include <isa-l/crc64.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>

#include "server/http/header_text.h"

namespace cboard::server {
namespace {

std::string Hex(std::uint64_t a, std::uint64_t b) {
  std::array<char, 40> text = {};
  const int length =
      std::snprintf(text.data(), text.size(), "%016llx%llx", static_cast<unsigned long long>(a),
                    static_cast<unsigned long long>(b));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

std::string EtagOf(std::string_view bytes) {
  // Two checksums of different polynomials, at the speed of memory, so that hashing costs a large
  // answer next to nothing. ISA-L takes a pointer to bytes it does not change.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  const std::uint64_t first = ::crc64_ecma_refl(bytes.size(), data, bytes.size());
  std::uint32_t second = 0;
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // The length is an int.
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::size_t length = std::min(kPiece, bytes.size() - at);
    second = ::crc32_iscsi(data + at, static_cast<int>(length), second);
  }
  return Hex(first, second);
}

std::string EtagOf(const FileSlice& slice) {
  struct stat status = {};
  if (::fstat(slice.file->descriptor(), &status) != 0) return {};
  const std::string what = std::to_string(status.st_dev) + '/' + std::to_string(status.st_ino) +
                           '/' + std::to_string(status.st_mtim.tv_sec) + '/' +
                           std::to_string(status.st_mtim.tv_nsec) + '/' +
                           std::to_string(slice.offset) + '/' + std::to_string(slice.length);
  return EtagOf(what);
}

bool NamesEtag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    std::string_view named = TakeUntil(if_none_match, ',');
    if (named == "*") return true;
    if (named.starts_with("W/")) named.remove_prefix(2);
    if (named.size() == etag.size() + 2 && named.front() == '"' && named.back() == '"' &&
        named.substr(1, etag.size()) == etag) {
      return true;
    }
  }
  return false;
}

}  // namespace cboard::server
