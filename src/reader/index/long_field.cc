#include "reader/index/long_field.h"

#include <cstdint>

namespace cboard::reader {
namespace {

enum class WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  bool has_length = false;
  std::size_t begin = 0;  // The start of the field's content.
  std::size_t end = 0;
};

// Reads the fields of nested messages. Only the first bytes of the outer message are known.
class FieldReader {
 public:
  explicit FieldReader(ByteSpan head) : head_(head) {}

  // Reads the field at `at`, in a message that ends at `message_end`. Returns nullopt if the key or
  // the length is unknown or damaged.
  std::optional<Field> Read(std::size_t at, std::size_t message_end) {
    at_ = at;
    const std::optional<std::uint64_t> key = Varint();
    if (!key || *key > 0xFFFFFFFF) return std::nullopt;
    Field field{.number = static_cast<std::uint32_t>(*key >> 3)};
    std::uint64_t size = 0;
    switch (static_cast<WireType>(*key & 7)) {
      case WireType::kVarint:
        if (!Varint()) return std::nullopt;
        break;
      case WireType::kFixed64:
        size = 8;
        break;
      case WireType::kFixed32:
        size = 4;
        break;
      case WireType::kLength: {
        const std::optional<std::uint64_t> length = Varint();
        if (!length) return std::nullopt;
        field.has_length = true;
        size = *length;
        break;
      }
      default:
        return std::nullopt;
    }
    if (at_ > message_end || size > message_end - at_) return std::nullopt;
    field.begin = at_;
    field.end = at_ + static_cast<std::size_t>(size);
    return field;
  }

  // Finds the first field that ends behind the known bytes.
  std::optional<Field> FindLong(std::size_t at, std::size_t message_end) {
    while (true) {
      const std::optional<Field> field = Read(at, message_end);
      if (!field || field->end > head_.size()) return field;
      at = field->end;
    }
  }

 private:
  std::optional<std::uint64_t> Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < head_.size(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(head_[at_++]);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  ByteSpan head_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<LongField> FindLongField(ByteSpan head, std::size_t event_bytes) {
  constexpr std::uint32_t kSummary = 5, kValue = 1;
  constexpr std::uint32_t kImage = 4, kHistogram = 5, kAudio = 6, kTensor = 8;
  FieldReader reader(head);
  const std::optional<Field> summary = reader.FindLong(0, event_bytes);
  if (!summary || !summary->has_length || summary->number != kSummary ||
      summary->end != event_bytes) {
    return std::nullopt;
  }
  const std::optional<Field> value = reader.Read(summary->begin, summary->end);
  if (!value || !value->has_length || value->number != kValue || value->end != summary->end) {
    return std::nullopt;
  }
  const std::optional<Field> member = reader.FindLong(value->begin, value->end);
  if (!member || !member->has_length) return std::nullopt;
  const std::uint32_t number = member->number;
  if (number != kImage && number != kHistogram && number != kAudio && number != kTensor) {
    return std::nullopt;
  }
  return LongField{member->begin, member->end, value->begin, number == kTensor};
}

}  // namespace cboard::reader
