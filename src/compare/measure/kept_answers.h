// Answers of both models that can only be compared when all samples are there: vectors of features,
// and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cboard::compare {

// A tensor as [outer][channels][inner].
struct ChannelSizes {
  std::size_t outer = 1, channels = 1, inner = 1;
  bool is_sequence = false;  // The positions are one sequence: no batch, no picture.
};

// Numbers of channels that layers have and lists of classes rarely do: 64, 96, 384, 512, …
inline bool LooksLikeWidth(std::size_t channels) {
  return channels >= 64 && channels <= 4096 && channels % 32 == 0;
}

// Vectors of an output that has features, such as embeddings. Features are compared with each
// other: the question is whether the nearest vector is still that of the same sample.
class FeatureVectors {
 public:
  static constexpr std::size_t kMinChannels = 16, kMaxChannels = 8192;

  // Keeps up to 8 positions of one sample, and up to 160 in all.
  void Add(std::span<const float> baseline, std::span<const float> variant,
           const ChannelSizes& sizes);

  struct Agreement {
    std::size_t vectors = 0;  // Those that no other sample has, too.
    std::size_t same = 0;     // Those whose nearest vector of the baseline is their own.
    double mean_cosine = 0;   // Mean over all kept vectors; NaN without any.
  };
  Agreement Compare() const;

  // The vectors of the baseline have one length, as behind a normalization.
  bool HaveOneLength() const;

 private:
  struct Vector {
    std::size_t sample = 0, position = 0;
    std::vector<float> baseline, variant;  // Scaled to length 1.
    double baseline_length = 0;
  };
  std::vector<Vector> vectors_;
  std::size_t samples_ = 0;
};

// The largest channel at each position of a sequence, sample by sample.
class LabelSequences {
 public:
  void Add(std::vector<std::uint32_t> baseline, std::vector<std::uint32_t> variant);

  // The text of the labels by connectionist temporal classification (CTC): repeated labels are one
  // character, blanks none.
  struct Text {
    std::size_t characters = 0;  // Characters of the baseline.
    std::size_t errors = 0;      // Inserted, deleted or changed ones.
    double Agreement() const {
      return 1 - static_cast<double>(errors) / static_cast<double>(characters);
    }
  };
  // Nothing where the labels do not look like this: the first or the last of many channels is the
  // most frequent one, and other labels come in short runs.
  std::optional<Text> ReadAsText(std::size_t channels) const;

 private:
  struct Pair {
    std::vector<std::uint32_t> baseline, variant;
  };
  std::vector<Pair> sequences_;
  std::size_t positions_ = 0;
};

}  // namespace cboard::compare
