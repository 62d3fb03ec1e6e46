#include "benchmark/files/file_hash.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <vector>

#include "cboard/base/check.h"
#include "cboard/base/file.h"

namespace cboard::benchmark {

Result<std::string> HashFile(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const File file, File::OpenForReading(path));
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(),
                                                                          ::EVP_MD_CTX_free);
  CBOARD_CHECK(context != nullptr &&
               ::EVP_DigestInit_ex(context.get(), ::EVP_sha256(), nullptr) == 1);
  std::vector<std::byte> buffer(1 << 20);
  for (std::uint64_t offset = 0;;) {
    CBOARD_ASSIGN_OR_RETURN(const std::size_t read, file.ReadAt(offset, buffer));
    if (read == 0) break;
    CBOARD_CHECK(::EVP_DigestUpdate(context.get(), buffer.data(), read) == 1);
    offset += read;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int length = 0;
  CBOARD_CHECK(::EVP_DigestFinal_ex(context.get(), digest.data(), &length) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace cboard::benchmark
