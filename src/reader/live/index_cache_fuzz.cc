// Any bytes are a cache or none; what it gives lies inside the bytes.
#include <cstdint>
#include <string>

#include "cboard/base/check.h"
#include "cboard/record/crc32c.h"
#include "reader/live/index_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // Checksums that hold let the fuzzer reach what is behind them: the last 40 bytes are a trailer
  // over structures and a directory whose lengths the input chooses.
  if (size > 41 && (data[0] & 1) != 0) {
    const std::size_t room = size - 40;
    const std::uint64_t offset = data[1] % room;
    const std::uint64_t structures = data[2] % (offset + 1);
    std::string trailer = "CBCACHE4";
    const auto append = [&](auto number) {
      trailer.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    append(structures);
    append(offset);
    append(std::uint64_t{room - offset});
    append(record::ComputeCrc32c(AsBytes(bytes).subspan(offset, room - offset)));
    append(record::ComputeCrc32c(AsBytes(trailer)));
    bytes.replace(room, 40, trailer);
  }
  const auto cache = reader::IndexCache::Parse(AsBytes(bytes), nullptr);
  if (!cache) return 0;
  reader::TagInfoMemory tags;
  cache->ForEachFile([&](std::string_view name) {
    const auto stored = cache->Find(name);
    CBOARD_CHECK(stored.has_value());
    for (const ByteSpan piece : {stored->encoded.structure, stored->encoded.columns}) {
      const char* begin = reinterpret_cast<const char*>(piece.data());
      CBOARD_CHECK(piece.empty() ||
                   (begin >= bytes.data() && begin + piece.size() <= bytes.data() + bytes.size()));
    }
    // Decoding the bytes may fail, and must not crash.
    if (auto index = reader::FileIndex::Decode("x", stored->encoded, nullptr, tags)) index->View();
  });
  return 0;
}
