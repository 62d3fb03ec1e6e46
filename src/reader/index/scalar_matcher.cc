#include "reader/index/scalar_matcher.h"

#include <algorithm>
#include <optional>

namespace cboard::reader {
namespace {

// Maximum size of an event for which a template is made. Longer events are rare, and a template
// saves little of their cost.
constexpr std::size_t kMaxTemplateBytes = 240;

// Maximum number of templates. If the metadata of a tag changes with every event, each event needs
// a template; the limit prevents that the templates use too much memory.
constexpr std::size_t kMaxTemplates = std::size_t{1} << 17;

// Parses the structure of an event, byte by byte.
class Cursor {
 public:
  explicit Cursor(ByteSpan bytes) : bytes_(bytes) {}

  bool Take(unsigned expected) {
    if (at_ >= bytes_.size() || bytes_[at_] != std::byte(expected)) return false;
    ++at_;
    return true;
  }

  bool Skip(std::size_t count) {
    if (bytes_.size() - at_ < count) return false;
    at_ += count;
    return true;
  }

  bool TakeVarint(std::size_t max_bytes, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < max_bytes && at_ < bytes_.size(); ++i) {
      const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7F) << (7 * i);
      if (byte < 0x80) return true;
    }
    return false;
  }

  // Parses a length. The field must end where the event ends.
  bool TakeLengthOfRest() {
    std::uint64_t length = 0;
    return TakeVarint(5, length) && length == bytes_.size() - at_;
  }

  std::size_t at() const { return at_; }
  bool AtEnd() const { return at_ == bytes_.size(); }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
};

// Parses the value after the tag, which is a float, or a tensor with one float. Returns the
// position of its four bytes.
std::optional<std::size_t> TakeValue(Cursor& cursor) {
  if (cursor.Take(0x15)) {
    const std::size_t hole = cursor.at();
    return cursor.Skip(4) ? std::optional(hole) : std::nullopt;
  }
  std::uint64_t length = 0;
  if (!cursor.Take(0x42) || !cursor.TakeVarint(1, length)) return std::nullopt;
  const std::size_t end = cursor.at() + length;
  if (!cursor.Take(0x08) || !cursor.Take(0x01)) return std::nullopt;  // DT_FLOAT.
  if (cursor.Take(0x12) && !cursor.Take(0x00)) return std::nullopt;   // A shape without dimensions.
  // The value is in float_val or in tensor_content.
  if (!cursor.Take(0x2a) && !cursor.Take(0x22)) return std::nullopt;
  if (!cursor.Take(0x04)) return std::nullopt;
  const std::size_t hole = cursor.at();
  return cursor.Skip(4) && cursor.at() == end ? std::optional(hole) : std::nullopt;
}

// The position of the template in an event, and the position of the value in the template.
struct Shape {
  std::size_t begin = 0;
  std::size_t hole = 0;
};

std::optional<Shape> ShapeOf(ByteSpan event) {
  Cursor cursor(event);
  std::uint64_t ignored = 0;
  if (!cursor.Take(0x09) || !cursor.Skip(8)) return std::nullopt;
  if (cursor.Take(0x10) && !cursor.TakeVarint(5, ignored)) return std::nullopt;
  const std::size_t begin = cursor.at();
  if (!cursor.Take(0x2a) || !cursor.TakeLengthOfRest()) return std::nullopt;  // Event.summary
  if (!cursor.Take(0x0a) || !cursor.TakeLengthOfRest()) return std::nullopt;  // Summary.value
  std::uint64_t tag_bytes = 0;
  if (!cursor.Take(0x0a) || !cursor.TakeVarint(2, tag_bytes) || !cursor.Skip(tag_bytes)) {
    return std::nullopt;
  }
  const std::optional<std::size_t> hole = TakeValue(cursor);
  if (!hole) return std::nullopt;
  const bool has_metadata = cursor.Take(0x4a);  // Value.metadata
  if (has_metadata ? !cursor.TakeLengthOfRest() : !cursor.AtEnd()) return std::nullopt;
  return Shape{begin, *hole - begin};
}

// Skips the key of a field and the length after it, which has one or two bytes. Returns the length,
// or nullopt if the key is another one.
inline std::optional<std::size_t> TakeField(const std::byte*& at, unsigned key) {
  if (at[0] != std::byte(key)) return std::nullopt;
  const auto low = static_cast<std::size_t>(at[1]);
  if (low < 0x80) {
    at += 2;
    return low;
  }
  const std::size_t length = (low & 0x7F) | static_cast<std::size_t>(at[2]) << 7;
  at += 3;
  return length;
}

// Returns a hash of the tag, or 0 if the event has no tag at the expected position. Reads up to 16
// bytes behind the event.
inline std::uint32_t HashOf(const std::byte* bytes, std::size_t size) {
  const std::byte* tag = bytes;
  if (!TakeField(tag, 0x2a) || !TakeField(tag, 0x0a)) return 0;
  const std::optional<std::size_t> length = TakeField(tag, 0x0a);
  if (!length || *length > kMaxTemplateBytes || tag + *length + 4 > bytes + size) return 0;
  const std::size_t tag_bytes = *length;
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;
  std::uint64_t even = size * kFactor, odd = tag_bytes;
  std::size_t at = 0;
  std::uint64_t word = 0;
  for (; at + 16 <= tag_bytes; at += 16) {
    std::memcpy(&word, tag + at, 8);
    even = (even ^ word) * kFactor;
    std::memcpy(&word, tag + at + 8, 8);
    odd = (odd ^ word) * kFactor;
  }
  for (; at < tag_bytes; at += 8) {
    std::memcpy(&word, tag + at, 8);
    const std::size_t left = tag_bytes - at;
    if (left < 8) word &= (std::uint64_t{1} << (8 * left)) - 1;
    odd = ((odd ^ odd >> 29) ^ word) * kFactor;
  }
  const std::uint64_t hash = (even ^ even >> 32) * kFactor ^ odd;
  return static_cast<std::uint32_t>(hash >> 32) | 1;
}

}  // namespace

ScalarMatcher::ScalarMatcher() : infos_(1), templates_(1), slots_(64) {}

void ScalarMatcher::BeginFile() {
  for (Template& known : templates_) known.series = kNoSeries;
  last_ = 0;
}

void ScalarMatcher::SetInfo(Template& known, const std::shared_ptr<const TagInfo>& info) {
  if (info == nullptr || known.info != 0) return;
  known.info = static_cast<std::uint32_t>(infos_.size());
  infos_.push_back(info);
}

std::uint32_t ScalarMatcher::Find(const std::byte* bytes, std::size_t size) const {
  const std::uint32_t hash = HashOf(bytes, size);
  if (hash == 0) return 0;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash >> 1 & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t number = slots_[slot];
    if (number == 0) return 0;
    const Template& candidate = templates_[number];
    if (candidate.hash == hash && candidate.size == size && Fits(candidate, bytes)) return number;
  }
}

void ScalarMatcher::Insert(std::uint32_t number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = templates_[number].hash >> 1 & mask;
  while (slots_[slot] != 0) slot = (slot + 1) & mask;
  slots_[slot] = number;
}

void ScalarMatcher::Learn(ByteSpan event, std::uint32_t series,
                          const std::shared_ptr<const TagInfo>& info) {
  const std::optional<Shape> shape = ShapeOf(event);
  if (!shape || templates_.size() >= kMaxTemplates) return;
  const ByteSpan bytes = event.subspan(shape->begin);
  if (bytes.size() > kMaxTemplateBytes) return;
  std::array<std::byte, kMaxTemplateBytes + kReadAheadBytes> padded{};
  std::ranges::copy(bytes, padded.begin());
  if (const std::uint32_t known = Find(padded.data(), bytes.size()); known != 0) {
    // The template exists already: it is from an earlier file, or the event was parsed for another
    // reason, for example at the end of a window.
    templates_[known].series = series;
    SetInfo(templates_[known], info);
    templates_[last_].successor = known;
    last_ = known;
    return;
  }

  Template learned{.series = series,
                   .size = static_cast<std::uint32_t>(bytes.size()),
                   .hole = static_cast<std::uint32_t>(shape->hole),
                   .pattern = static_cast<std::uint32_t>(pieces_.size()),
                   .whole_pieces = static_cast<std::uint32_t>(shape->hole / 16)};
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    Piece piece;
    std::memcpy(piece.data(), padded.data() + at, 16);
    pieces_.push_back(piece);
    if (at / 16 < learned.whole_pieces) continue;
    Piece mask{};
    for (std::size_t i = 0; i < 16 && at + i < bytes.size(); ++i) {
      const bool in_hole = at + i >= shape->hole && at + i < shape->hole + 4;
      mask[i] = std::byte(in_hole ? 0x00 : 0xFF);
    }
    pieces_.push_back(mask);
  }
  learned.hash = HashOf(padded.data(), bytes.size());
  SetInfo(learned, info);
  const auto number = static_cast<std::uint32_t>(templates_.size());
  templates_.push_back(learned);
  templates_[last_].successor = number;
  last_ = number;
  if (2 * templates_.size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t i = 1; i < number; ++i) Insert(i);
  }
  Insert(number);
}

}  // namespace cboard::reader
