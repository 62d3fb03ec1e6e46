// Any bytes are a cache or none; what it gives lies inside the bytes.
#include <cstdint>
#include <string>

#include "cboard/base/check.h"
#include "cboard/record/crc32c.h"
#include "reader/live/index_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // Checksums that hold let the fuzzer reach what is behind them: the last 32 bytes are a trailer
  // over a directory whose length the input chooses.
  if (size > 33 && (data[0] & 1) != 0) {
    const std::size_t room = size - 32;
    const std::uint64_t offset = data[1] % room;
    std::string trailer = "CBCACHE1";
    const auto append = [&](auto number) {
      trailer.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    append(offset);
    append(std::uint64_t{room - offset});
    append(ComputeCrc32c(AsBytes(bytes).subspan(offset, room - offset)));
    append(ComputeCrc32c(AsBytes(trailer)));
    bytes.replace(room, 32, trailer);
  }
  const auto cache = reader::IndexCache::Parse(AsBytes(bytes), nullptr);
  if (!cache) return 0;
  cache->ForEachFile([&](std::string_view name) {
    const auto stored = cache->Find(name);
    CBOARD_CHECK(stored.has_value());
    const char* begin = reinterpret_cast<const char*>(stored->bytes.data());
    CBOARD_CHECK(
        stored->bytes.empty() ||
        (begin >= bytes.data() && begin + stored->bytes.size() <= bytes.data() + bytes.size()));
    // What an index makes of the bytes is its own affair, and must not crash.
    if (auto index = reader::FileIndex::Decode("x", stored->bytes, nullptr)) index->View();
  });
  return 0;
}
