// Any bytes as a stored index, with the checksum that they should have: what is decoded can be
// looked at, stored again and read on.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "cboard/record/crc32c.h"
#include "reader/index/file_index.h"
#include "reader/index/index_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;          // NOLINT: a program of one file.
  using namespace cboard::reader;  // NOLINT
  auto stored = std::make_shared<std::string>(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kHeaderBytes = 32;
  if (size > kHeaderBytes) {
    // Where the structure ends is left to the input; the rest of the header is made right.
    const std::size_t body_bytes = size - kHeaderBytes;
    std::uint64_t structure_bytes = 0;
    std::memcpy(&structure_bytes, data + 8, sizeof structure_bytes);
    structure_bytes %= body_bytes + 1;
    const std::uint64_t columns_bytes = body_bytes - structure_bytes;
    const std::uint32_t crc =
        ComputeCrc32c(AsBytes(*stored).subspan(kHeaderBytes, structure_bytes));
    std::memcpy(stored->data(), "CBINDEX2", 8);
    std::memcpy(stored->data() + 8, &structure_bytes, 8);
    std::memcpy(stored->data() + 16, &columns_bytes, 8);
    std::memcpy(stored->data() + 24, &crc, 4);
  }
  auto index = FileIndex::Decode("events", AsBytes(*stored), stored);
  if (!index) return 0;
  (void)index->Verify();
  (void)reader::testing::ContentsOf(*index->View());
  // Reading on makes an index of it that could grow; that one is stored anew.
  const reader::testing::MemoryFile file;
  index->ReadOn(file.Open(), {});
  const auto contents = reader::testing::ContentsOf(*index->View());
  std::string again;
  index->AppendEncoded(again);
  const auto decoded = FileIndex::Decode("events", AsBytes(again), nullptr);
  if (!decoded || reader::testing::ContentsOf(*decoded->View()) != contents) __builtin_trap();
  return 0;
}
