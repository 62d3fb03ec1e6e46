// Encodes scalar events directly into a buffer, with record framing and checksums.
//
// The events of a tag differ only in step, wall time and value. Everything else is prepared once
// per tag: the nested lengths, the tag, and the record header for each size of the step. Encoding
// then takes three copies and one checksum, a tenth of the time of a general encoder.
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

// Encodes scalar events. Not thread-safe; each thread has its own encoder.
class ScalarEncoder {
 public:
  // Returns an upper bound of the size of a record for `tag`. Encode() copies whole blocks and may
  // write past the record, but not past this size.
  static std::size_t MaxRecordBytes(std::string_view tag) { return 112 + 3 * tag.size(); }

  // Writes one record to `out` and returns its size. `out` must have room for MaxRecordBytes(tag)
  // bytes. The tag is cleaned like in CleanTag. `wall_time_seconds` is written even if it is 0.
  std::size_t Encode(std::string_view tag, float value, std::int64_t step, double wall_time_seconds,
                     std::byte* out);

 private:
  static constexpr std::size_t kMaxVarintBytes = 10;

  struct Template {
    std::string tag;  // As given.
    // The prepared bytes of an event, from the key of the summary field to the key of the value
    // field. Two blocks of padding follow.
    std::string tail;
    std::size_t tail_size = 0;  // Size without padding.
    // The prepared record headers, with length and checksum. The index is the number of bytes of
    // the step (0: no step).
    std::array<std::array<std::byte, 12>, kMaxVarintBytes + 1> headers;
    std::size_t next = 0;  // Index of the template that was used after this one the last time.
  };

  // A hash function for looking up a std::string_view without creating a std::string.
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
