#include "cboard/record/record_writer.h"

#include <algorithm>

#include "cboard/base/check.h"
#include "cboard/record/crc32c.h"

namespace cboard::record {

void StoreRecord(ByteSpan payload, std::byte* out) {
  CBOARD_CHECK(payload.size() <= kMaxRecordBytes);
  const MutableByteSpan frame(out, payload.size() + kRecordOverheadBytes);
  StoreLittleEndian(std::uint64_t{payload.size()}, frame.first<8>());
  StoreLittleEndian(ToInteger(ComputeMaskedCrc(frame.first<8>())), frame.subspan<8, 4>());
  std::ranges::copy(payload, frame.subspan(kRecordHeaderBytes).begin());
  StoreLittleEndian(ToInteger(ComputeMaskedCrc(payload)), frame.last<kRecordFooterBytes>());
}

void AppendRecord(ByteSpan payload, std::string& out) {
  const std::size_t end = out.size();
  out.resize(end + payload.size() + kRecordOverheadBytes);
  StoreRecord(payload, std::as_writable_bytes(std::span(out)).data() + end);
}

Result<void> RecordWriter::Append(ByteSpan payload) {
  if (payload.size() > kMaxRecordBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "a record of " + std::to_string(payload.size()) +
                    " bytes is larger than 2 GiB, the maximum that readers of event files accept");
  }
  frame_.clear();
  AppendRecord(payload, frame_);
  return sink_.Write(AsBytes(frame_));
}

}  // namespace cboard::record
