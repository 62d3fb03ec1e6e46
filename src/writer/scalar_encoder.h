// Encodes scalar events straight into a buffer, record framing and checksums included.
//
// All but step, wall time and value of a tag's events is the same each time, so it is prepared
// once per tag: the nested lengths, the tag, and the record header for each size the step can
// take. Encoding is then three copies and one checksum, a tenth of what a general encoder costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cboard/base/bytes.h"

namespace cboard::writer {

// Not thread-safe; each thread has its own.
class ScalarEncoder {
 public:
  // A record of `tag`'s events never exceeds this.
  // (Copies are of whole blocks and may write past the record, within this.)
  static std::size_t MaxRecordBytes(std::string_view tag) { return 112 + 3 * tag.size(); }

  // Writes one record and returns its size. `out` must hold MaxRecordBytes(tag).
  // The tag is stored cleaned, as CleanTag does. `wall_time_seconds` is written even if it is 0.
  std::size_t Encode(std::string_view tag, float value, std::int64_t step, double wall_time_seconds,
                     std::byte* out);

 private:
  static constexpr std::size_t kMaxVarintBytes = 10;

  struct Template {
    std::string tag;   // As given.
    std::string tail;  // From the summary's key to the value's key, padded with two blocks.
    std::size_t tail_size = 0;  // Without the padding.
    // The record's length and its checksum, by the number of bytes of the step (0: no step).
    std::array<std::array<std::byte, 12>, kMaxVarintBytes + 1> headers;
    std::size_t next = 0;  // The template that was used after this one the last time.
  };

  // Looks up a view without making a string of it.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::size_t Find(std::string_view tag);
  static Template Prepare(std::string_view tag);

  std::vector<Template> templates_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> by_tag_;
  std::size_t templates_bytes_ = 0;  // Approximate memory of all templates.
  std::size_t last_ = 0;
};

}  // namespace cboard::writer
