// Stores the outputs of all samples that can only be compared together: feature vectors, and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cboard::compare {

// A tensor whose dimensions before and behind the channels are joined: [outer][channels][inner].
struct ChannelSizes {
  std::size_t outer = 1, channels = 1, inner = 1;
  bool is_sequence = false;  // The positions are a sequence, not a batch or an image.
};

// Returns true for numbers of channels that hidden layers often have and classifiers rarely: 64,
// 96, 384, 512, …
inline bool LooksLikeWidth(std::size_t channels) {
  return channels >= 64 && channels <= 4096 && channels % 32 == 0;
}

// Stores vectors of an output with features, such as embeddings. Measures how often the baseline's
// vector that is nearest to a vector of the variant belongs to the same sample.
class FeatureVectors {
 public:
  static constexpr std::size_t kMinChannels = 16, kMaxChannels = 8192;

  // Stores up to 8 positions of one sample, and up to 160 vectors in total.
  void Add(std::span<const float> baseline, std::span<const float> variant,
           const ChannelSizes& sizes);

  struct Agreement {
    std::size_t vectors = 0;  // Number of vectors that differ from those of all other samples.
    // How many of `vectors` have a nearest baseline vector that belongs to the same sample.
    std::size_t same = 0;
    double mean_cosine = 0;  // Mean over all stored vectors; NaN if there are none.
  };
  Agreement Compare() const;

  // Returns true if all vectors of the baseline have the same L2 norm, as after a normalization.
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

// Stores the largest channel (label) at each position of a sequence, for each sample.
class LabelSequences {
 public:
  void Add(std::vector<std::uint32_t> baseline, std::vector<std::uint32_t> variant);

  // The texts that the labels stand for in connectionist temporal classification (CTC): repeated
  // labels are one character, and blank labels are removed.
  struct Text {
    std::size_t characters = 0;  // Number of characters in the baseline's texts.
    std::size_t errors = 0;      // Number of inserted, deleted or changed characters.
    double Agreement() const {
      return 1 - static_cast<double>(errors) / static_cast<double>(characters);
    }
  };
  // Returns nullopt if the labels do not look like CTC: there are many channels, the first or last
  // one (the blank) is the most frequent label, and other labels have short runs.
  std::optional<Text> ReadAsText(std::size_t channels) const;

 private:
  struct Pair {
    std::vector<std::uint32_t> baseline, variant;
  };
  std::vector<Pair> sequences_;
  std::size_t positions_ = 0;
};

}  // namespace cboard::compare
