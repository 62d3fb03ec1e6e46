// For any bytes, the reader returns records, damage reports or the end, and always advances.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cboard/base/check.h"
#include "cboard/record/record_reader.h"

namespace {

class MemorySource final : public cboard::record::ByteSource {
 public:
  explicit MemorySource(cboard::ByteSpan bytes) : bytes_(bytes) {}
  cboard::Result<std::size_t> ReadAt(std::uint64_t offset,
                                     cboard::MutableByteSpan buffer) override {
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t count = std::min(buffer.size(), bytes_.size() - std::size_t(offset));
    std::memcpy(buffer.data(), bytes_.data() + offset, count);
    return count;
  }

 private:
  cboard::ByteSpan bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemorySource source(std::as_bytes(std::span(data, size)));
  cboard::record::RecordReader reader(source);
  std::uint64_t previous = 0;
  for (std::size_t calls = 0;; ++calls) {
    CBOARD_CHECK(calls <= size + 1);
    const cboard::Result<cboard::record::Record> record = reader.Next();
    if (!record && record.error().code == cboard::ErrorCode::kTruncated) break;
    CBOARD_CHECK(record || record.error().code == cboard::ErrorCode::kDataLoss);
    CBOARD_CHECK(reader.offset() > previous || previous == 0);
    CBOARD_CHECK(reader.offset() <= size);
    previous = reader.offset();
  }
  return 0;
}
