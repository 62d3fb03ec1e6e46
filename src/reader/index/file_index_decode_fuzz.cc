// Any bytes as a stored index, with the checksum that they should have: what is decoded can be
// looked at, stored again and read on.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/record/crc32c.h"
#include "reader/index/file_index.h"
#include "reader/testing/index_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;          // NOLINT: a program of one file.
  using namespace cboard::reader;  // NOLINT
  // A number says where the structure ends and the columns begin; the header is made right.
  constexpr std::size_t kHeaderBytes = 24;
  if (size < 2) return 0;
  const std::size_t split = (data[0] + std::size_t{256} * data[1]) % (size - 1);
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto stored = std::make_shared<EncodedIndex>();
  stored->structure = body.substr(0, split);
  stored->columns = body.substr(split);
  if (stored->structure.size() >= kHeaderBytes) {
    char* const header = stored->structure.data();
    const std::uint64_t columns_bytes = stored->columns.size();
    std::memcpy(header, "CBINDEX5", 8);
    std::memcpy(header + 16, &columns_bytes, 8);
    const std::uint32_t crc = record::ComputeCrc32c(AsBytes(stored->structure).subspan(12));
    std::memcpy(header + 8, &crc, 4);
  }
  TagInfoMemory tags;
  auto index = FileIndex::Decode("events", {AsBytes(stored->structure), AsBytes(stored->columns)},
                                 stored, tags);
  if (!index) return 0;
  (void)index->Verify();
  (void)cboard::testing::ContentsOf(*index->View());
  // Continuing to read makes an index that could grow; it is stored again.
  const cboard::testing::MemoryFile file;
  index->ContinueReading(file.Open(), {});
  if (index->View()->file.error) return 0;  // At no place of a file; such indexes are not stored.
  const auto contents = cboard::testing::ContentsOf(*index->View());
  const EncodedIndex again = index->Encode();
  const auto decoded = FileIndex::Decode(
      "events", {AsBytes(again.structure), AsBytes(again.columns)}, nullptr, tags);
  if (!decoded || cboard::testing::ContentsOf(*decoded->View()) != contents) __builtin_trap();
  return 0;
}
