// Recognises scalar events without parsing them, by templates.
//
// Events of one scalar tag differ only in wall time, step and value:
//
//   09 <wall time> 10 <step> | 2a … 0a … 0a 04 "loss" 15 <value> [4a <metadata>]
//                            `- from here on a template with a hole for the value
//
// Programs log the same tags in the same order repeatedly, so the template that followed the
// current one last time is tried first. If the tag is another one, a hash of the tag finds its
// template. An event without a template is parsed completely, and becomes a template if it has the
// structure above.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "cboard/base/bytes.h"
#include "record/short_crc.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace cboard::reader {

struct TagInfo;  // Declared in snapshot.h.

class ScalarMatcher {
 public:
  // The series of a template that no event of the current file has matched.
  static constexpr std::uint32_t kNoSeries = std::numeric_limits<std::uint32_t>::max();

  // Match() reads up to this number of bytes behind the event.
  static constexpr std::size_t kReadAheadBytes = 16;

  struct Template {
    std::uint32_t series = kNoSeries;
    std::uint32_t size = 0;          // The length in bytes, including the value.
    std::uint32_t hole = 0;          // The position of the value, a float.
    std::uint32_t pattern = 0;       // The index of the template's first piece in `pieces_`.
    std::uint32_t whole_pieces = 0;  // The number of pieces that are compared without a mask.
    std::uint32_t successor = 0;     // The template that followed this one last time.
    std::uint32_t hash = 0;
    std::uint32_t info = 0;  // The index of the tag's info in `infos_`; 0 if it is not known.
  };

  ScalarMatcher();

  // Begins another file. Keeps the templates, but sets the series of all of them to kNoSeries.
  void BeginFile();

  // Makes a template from an event, if the event has the expected structure. The event has one
  // value, which is a point of `series`. If the event has created the tag of this series, `info` is
  // the info of the tag: an equal event would create the same tag in another file. Otherwise it is
  // null.
  void Learn(ByteSpan event, std::uint32_t series,
             const std::shared_ptr<const TagInfo>& info = nullptr);

  // Returns the info of the tag that a matching event creates, or null if it is not known.
  const std::shared_ptr<const TagInfo>& InfoOf(const Template& matched) const {
    return infos_[matched.info];
  }

  // Sets the series of a template that Match() has returned.
  void SetSeries(const Template& matched, std::uint32_t series) {
    templates_[static_cast<std::size_t>(&matched - templates_.data())].series = series;
  }

  // Returns the template that matches the bytes behind the step of an event, or null. `size` is the
  // number of these bytes.
  CBOARD_SSE42 const Template* Match(const std::byte* bytes, std::size_t size) {
    const std::uint32_t guess = templates_[last_].successor;
    if (templates_[guess].size == size && Fits(templates_[guess], bytes)) {
      last_ = guess;
      return &templates_[guess];
    }
    const std::uint32_t found = Find(bytes, size);
    if (found == 0) return nullptr;
    templates_[last_].successor = found;
    last_ = found;
    return &templates_[found];
  }

  std::size_t size() const { return templates_.size() - 1; }  // Learned templates.

 private:
  // 16 bytes of a template. In a mask, bytes that may differ are zero.
  using Piece = std::array<std::byte, 16>;

  bool Fits(const Template& candidate, const std::byte* bytes) const {
    const Piece* piece = &pieces_[candidate.pattern];
    const Piece* const whole_end = piece + candidate.whole_pieces;
    const std::byte* const end = bytes + candidate.size;
#if defined(__x86_64__)
    const auto load = [](const std::byte* at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    };
    __m128i difference = _mm_setzero_si128();
    for (; piece != whole_end; bytes += 16, ++piece) {
      difference = _mm_or_si128(difference, _mm_xor_si128(load(bytes), load(piece->data())));
    }
    for (; bytes < end; bytes += 16, piece += 2) {
      const __m128i unequal = _mm_xor_si128(load(bytes), load(piece->data()));
      difference = _mm_or_si128(difference, _mm_and_si128(unequal, load(piece[1].data())));
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(difference, _mm_setzero_si128())) == 0xFFFF;
#else
    for (; piece != whole_end; bytes += 16, ++piece) {
      if (std::memcmp(bytes, piece->data(), 16) != 0) return false;
    }
    for (; bytes < end; bytes += 16, piece += 2) {
      for (std::size_t i = 0; i < 16; ++i) {
        if (((bytes[i] ^ piece[0][i]) & piece[1][i]) != std::byte{0}) return false;
      }
    }
    return true;
#endif
  }

  std::uint32_t Find(const std::byte* bytes, std::size_t size) const;
  void Insert(std::uint32_t number);

  void SetInfo(Template& known, const std::shared_ptr<const TagInfo>& info);

  std::vector<std::shared_ptr<const TagInfo>> infos_;  // The first one is null.
  std::vector<Template> templates_;                    // The first template matches no event.
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> slots_;  // Hash table with open addressing; 0 is a free slot.
  std::uint32_t last_ = 0;
};

}  // namespace cboard::reader
