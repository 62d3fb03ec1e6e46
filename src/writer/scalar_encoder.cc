#include "writer/scalar_encoder.h"

#include <cstring>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"
#include "record/short_crc.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard {
namespace {

// Keys of the protobuf fields: (number << 3) | wire type.
constexpr char kWallTimeKey = 0x09;
constexpr char kStepKey = 0x10;
constexpr char kSummaryKey = 0x2a;
constexpr char kValueKey = 0x0a;
constexpr char kTagKey = 0x0a;
constexpr char kSimpleValueKey = 0x15;

// Tags are few in practice. When they are not, starting over bounds the memory.
constexpr std::size_t kMaxTemplates = std::size_t{1} << 16;

std::size_t StoreVarint(std::uint64_t value, std::byte* out) {
  std::size_t size = 0;
  while (value >= 0x80) {
    out[size++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  out[size++] = static_cast<std::byte>(value);
  return size;
}

void AppendVarint(std::uint64_t value, std::string& out) {
  std::byte bytes[10];
  out += AsText(ByteSpan(bytes, StoreVarint(value, bytes)));
}

std::size_t VarintBytes(std::uint64_t value) {
  std::byte bytes[10];
  return StoreVarint(value, bytes);
}

constexpr std::size_t kWallTimeBytes = 1 + sizeof(double);

}  // namespace

ScalarEncoder::Template ScalarEncoder::Prepare(std::string_view tag) {
  Template made;
  made.tag = tag;
  const std::string clean = summary::CleanTag(tag);
  const std::size_t tag_bytes =
      clean.empty() ? 0 : 1 + VarintBytes(clean.size()) + clean.size();  // A default is left out.
  const std::size_t value_bytes = tag_bytes + 1 + sizeof(float);
  const std::size_t summary_bytes = 1 + VarintBytes(value_bytes) + value_bytes;
  made.tail += kSummaryKey;
  AppendVarint(summary_bytes, made.tail);
  made.tail += kValueKey;
  AppendVarint(value_bytes, made.tail);
  if (!clean.empty()) {
    made.tail += kTagKey;
    AppendVarint(clean.size(), made.tail);
    made.tail += clean;
  }
  made.tail += kSimpleValueKey;
  for (std::size_t step_bytes = 0; step_bytes <= kMaxVarintBytes; ++step_bytes) {
    const std::size_t step_field = step_bytes == 0 ? 0 : 1 + step_bytes;
    const std::uint64_t length = kWallTimeBytes + step_field + made.tail.size() + sizeof(float);
    const MutableByteSpan header(made.headers[step_bytes]);
    StoreLittleEndian(length, header);
    StoreLittleEndian(ToInteger(ComputeMaskedCrc(header.first(8))), header.subspan(8));
  }
  return made;
}

std::size_t ScalarEncoder::Find(std::string_view tag) {
  // Training loops log the same tags in the same order, so the one after the last is a good guess.
  if (!templates_.empty()) {
    const std::size_t guess = templates_[last_].next;
    if (templates_[guess].tag == tag) return last_ = guess;
  }
  const auto found = by_tag_.find(std::string(tag));
  std::size_t index;
  if (found != by_tag_.end()) {
    index = found->second;
  } else {
    if (templates_.size() >= kMaxTemplates) {
      templates_.clear();
      by_tag_.clear();
      last_ = 0;
    }
    index = templates_.size();
    templates_.push_back(Prepare(tag));
    by_tag_.emplace(tag, index);
  }
  templates_[last_].next = index;
  return last_ = index;
}

CBOARD_SSE42 std::size_t ScalarEncoder::Encode(std::string_view tag, float value, std::int64_t step,
                                               double wall_time_seconds, std::byte* out) {
  const Template& known = templates_[Find(tag)];
  std::byte* const payload = out + kRecordHeaderBytes;
  std::byte* end = payload;
  *end++ = std::byte{kWallTimeKey};
  std::memcpy(end, &wall_time_seconds, sizeof(double));
  end += sizeof(double);
  std::size_t step_bytes = 0;
  if (step != 0) {  // Protobuf leaves out what equals the default.
    *end++ = std::byte{kStepKey};
    step_bytes = StoreVarint(static_cast<std::uint64_t>(step), end);
    end += step_bytes;
  }
  std::memcpy(end, known.tail.data(), known.tail.size());
  end += known.tail.size();
  std::memcpy(end, &value, sizeof(float));
  end += sizeof(float);
  std::memcpy(out, known.headers[step_bytes].data(), kRecordHeaderBytes);
  const auto payload_bytes = static_cast<std::size_t>(end - payload);
  const std::uint32_t crc =
      HasShortCrc() ? ShortCrc32c(payload, payload_bytes) : ComputeCrc32c({payload, payload_bytes});
  const std::uint32_t masked = ToInteger(Mask(crc));
  std::memcpy(end, &masked, sizeof(masked));
  return kRecordHeaderBytes + payload_bytes + kRecordFooterBytes;
}

}  // namespace cboard
