#include "writer/scalar_encoder.h"

#include <bit>
#include <cstring>

#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"
#include "record/short_crc.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::writer {
namespace {

// Protobuf field keys: (number << 3) | wire type.
constexpr char kWallTimeKey = 0x09;
constexpr char kStepKey = 0x10;
constexpr char kSummaryKey = 0x2a;
constexpr char kValueKey = 0x0a;
constexpr char kTagKey = 0x0a;
constexpr char kSimpleValueKey = 0x15;

// Maximum memory of all templates together. Usually there are few tags. If there are many or long
// tags, all templates are discarded.
constexpr std::size_t kMaxTemplatesBytes = std::size_t{16} << 20;

// Memory of a template in bytes, without the three copies of its tag: as given, as a key, and
// cleaned.
constexpr std::size_t kTemplateBytes = 400;

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

// Compares texts without memcmp: a call of memcmp takes longer than comparing a short tag.
bool SameText(std::string_view left, std::string_view right) {
  const std::size_t size = left.size();
  if (right.size() != size) return false;
  if (size < sizeof(std::uint64_t)) return left == right;
  const auto differs = [&](std::size_t at) {
    std::uint64_t words[2];
    std::memcpy(&words[0], left.data() + at, sizeof(words[0]));
    std::memcpy(&words[1], right.data() + at, sizeof(words[1]));
    return words[0] != words[1];
  };
  for (std::size_t at = 0; at + sizeof(std::uint64_t) < size; at += sizeof(std::uint64_t)) {
    if (differs(at)) return false;
  }
  return !differs(size - sizeof(std::uint64_t));  // The last word overlaps the previous one.
}

constexpr std::size_t kWallTimeBytes = 1 + sizeof(double);

// Size of the blocks in which the last part of a record is copied. Copies of constant size compile
// to single instructions.
constexpr std::size_t kBlockBytes = 16;

// Up to eight bytes of a record, stored in the first bytes of `word` in memory order.
struct Piece {
  std::uint64_t word = 0;
  std::size_t size = 0;
};

// Steps below this limit have a varint of at most six bytes, with seven bits each.
constexpr std::uint64_t kShortSteps = std::uint64_t{1} << 42;

// Encodes the protobuf field of a step below kShortSteps without a loop.
Piece StepField(std::uint64_t step) {
  if (step == 0) return {};  // Protobuf omits default values.
  const std::size_t size = (static_cast<std::size_t>(std::bit_width(step)) + 6) / 7;
  const std::uint64_t groups = (step & 0x7f) | (step & 0x3f80) << 1 | (step & 0x1fc000) << 2 |
                               (step & 0xfe00000) << 3 | (step & 0x7f0000000) << 4 |
                               (step & 0x3f800000000) << 5;
  const std::uint64_t all_but_last = (std::uint64_t{1} << (8 * (size - 1))) - 1;
  return {(groups | (0x8080808080 & all_but_last)) << 8 | kStepKey, 1 + size};
}

#if defined(__x86_64__)
CBOARD_SSE42 std::uint32_t Extend(std::uint32_t crc, Piece piece) {
  if (piece.size == 8) return static_cast<std::uint32_t>(_mm_crc32_u64(crc, piece.word));
  if ((piece.size & 4) != 0) {
    crc = _mm_crc32_u32(crc, static_cast<std::uint32_t>(piece.word));
    piece.word >>= 32;
  }
  if ((piece.size & 2) != 0) {
    crc = _mm_crc32_u16(crc, static_cast<std::uint16_t>(piece.word));
    piece.word >>= 16;
  }
  if ((piece.size & 1) != 0) crc = _mm_crc32_u8(crc, static_cast<std::uint8_t>(piece.word));
  return crc;
}

// Computes the checksum of a payload from its parts. Reading the payload itself would be slow: the
// loads would wait for the stores that have just written it, because loads and stores have
// different sizes.
CBOARD_SSE42 std::uint32_t CrcOfParts(double wall_time_seconds, Piece step, const char* tail,
                                      std::size_t tail_size, float value) {
  const auto wall_time = std::bit_cast<std::uint64_t>(wall_time_seconds);
  auto crc = Extend(0xFFFFFFFFu, {wall_time << 8 | kWallTimeKey, 8});
  crc = Extend(crc, {wall_time >> 56, 1});
  crc = Extend(crc, step);
  for (; tail_size >= 8; tail += 8, tail_size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, tail, sizeof(word));
    crc = Extend(crc, {word, 8});
  }
  std::uint64_t rest;
  std::memcpy(&rest, tail, sizeof(rest));  // Reads into the padding.
  crc = Extend(crc, {rest, tail_size});
  return ~Extend(crc, {std::bit_cast<std::uint32_t>(value), 4});
}
#endif

}  // namespace

ScalarEncoder::Template ScalarEncoder::Prepare(std::string_view tag) {
  Template made;
  made.tag = tag;
  const std::string clean = summary::CleanTag(tag);
  const std::size_t tag_bytes =
      // The size of the tag's field. Protobuf omits an empty tag, like all default values.
      clean.empty() ? 0 : 1 + VarintBytes(clean.size()) + clean.size();
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
    StoreLittleEndian(record::ToInteger(record::ComputeMaskedCrc(header.first(8))),
                      header.subspan(8));
  }
  made.tail_size = made.tail.size();
  made.tail.append(2 * kBlockBytes, '\0');
  return made;
}

std::size_t ScalarEncoder::Find(std::string_view tag) {
  // Tries the tag that followed the current one in the past: training loops log the same tags in
  // the same order.
  if (!templates_.empty()) {
    const std::size_t guess = templates_[last_].next;
    if (SameText(templates_[guess].tag, tag)) return last_ = guess;
  }
  const auto found = by_tag_.find(tag);
  std::size_t index;
  if (found != by_tag_.end()) {
    index = found->second;
  } else {
    if (templates_bytes_ >= kMaxTemplatesBytes) *this = {};
    templates_bytes_ += kTemplateBytes + 3 * tag.size();
    index = templates_.size();
    templates_.push_back(Prepare(tag));
    by_tag_.emplace(tag, index);
  }
  templates_[last_].next = index;
  return last_ = index;
}

std::size_t ScalarEncoder::Encode(std::string_view tag, float value, std::int64_t step,
                                  double wall_time_seconds, std::byte* out) {
  const Template& known = templates_[Find(tag)];
  std::byte* const payload = out + record::kRecordHeaderBytes;
  std::byte* end = payload;
  *end++ = std::byte{kWallTimeKey};
  std::memcpy(end, &wall_time_seconds, sizeof(double));
  end += sizeof(double);
  const auto unsigned_step = static_cast<std::uint64_t>(step);
  const bool short_step = unsigned_step < kShortSteps;
  const Piece step_field = short_step ? StepField(unsigned_step) : Piece{};
  std::size_t step_bytes = 0;
  if (short_step) {
    std::memcpy(end, &step_field.word, sizeof(step_field.word));
    end += step_field.size;
    step_bytes = step_field.size == 0 ? 0 : step_field.size - 1;
  } else {
    *end++ = std::byte{kStepKey};
    step_bytes = StoreVarint(unsigned_step, end);
    end += step_bytes;
  }
  const char* const tail = known.tail.data();
  for (std::size_t at = 0; at < known.tail_size; at += kBlockBytes) {
    std::memcpy(end + at, tail + at, kBlockBytes);
  }
  end += known.tail_size;
  std::memcpy(end, &value, sizeof(float));
  end += sizeof(float);
  std::memcpy(out, known.headers[step_bytes].data(), record::kRecordHeaderBytes);
  const auto payload_bytes = static_cast<std::size_t>(end - payload);
  std::uint32_t crc;
#if defined(__x86_64__)
  if (short_step && record::HasShortCrc()) {
    crc = CrcOfParts(wall_time_seconds, step_field, tail, known.tail_size, value);
  } else {
    crc = record::ComputeCrc32c({payload, payload_bytes});
  }
#else
  crc = record::ComputeCrc32c({payload, payload_bytes});
#endif
  const std::uint32_t masked = record::ToInteger(record::Mask(crc));
  std::memcpy(end, &masked, sizeof(masked));
  return record::kRecordHeaderBytes + payload_bytes + record::kRecordFooterBytes;
}

}  // namespace cboard::writer
