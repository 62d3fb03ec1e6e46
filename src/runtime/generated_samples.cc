#include <algorithm>
#include <cctype>
#include <limits>
#include <random>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/tensor/tensor_view.h"
#include "runtime/sample_sources.h"

namespace cboard::runtime {
namespace {

// Maximum number of elements of one random input. A larger input needs real data.
constexpr std::int64_t kMaxGeneratedElements = std::int64_t{1} << 28;

// Limit of random integers. If the inputs of a model are token ids, its vocabulary is larger than
// this.
constexpr std::uint64_t kIntegers = 100;

class GeneratedSamples final : public SampleSource {
 public:
  GeneratedSamples(std::vector<ModelValue> inputs, const SampleOptions& options)
      : inputs_(std::move(inputs)),
        ranges_(options.ranges),
        integer_limits_(options.integer_limits),
        size_(options.max_samples),
        seed_(options.seed) {}

  std::size_t size() const override { return size_; }
  std::string Description() const override { return "generated, seed " + std::to_string(seed_); }
  bool is_generated() const override { return true; }

  Result<std::vector<NamedTensor>> Read(std::size_t index) override {
    std::vector<NamedTensor> tensors;
    generated_.clear();
    generated_.reserve(inputs_.size());
    // The sample depends only on the seed and the index, not on samples that were read before.
    std::seed_seq seeds{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32),
                        static_cast<std::uint32_t>(index)};
    std::mt19937_64 random(seeds);
    for (const ModelValue& input : inputs_) {
      CBOARD_ASSIGN_OR_RETURN(OwnedTensor tensor, Make(input, random));
      tensors.push_back({input.name, generated_.emplace_back(std::move(tensor)).view()});
    }
    return tensors;
  }

 private:
  Result<OwnedTensor> Make(const ModelValue& input, std::mt19937_64& random) const {
    std::size_t count = 1;
    for (const std::int64_t size : input.shape) count *= static_cast<std::size_t>(size);
    switch (*input.dtype) {
      case DType::kFloat32:
      case DType::kFloat64:
      case DType::kFloat16:
      case DType::kBfloat16: {
        std::normal_distribution<float> normal;
        std::vector<float> values(count);
        for (float& value : values) value = normal(random);
        if (const auto range = ranges_.find(input.name); range != ranges_.end()) {
          Fill(range->second, values);
        }
        return ConvertTo(*input.dtype, TensorView(values, input.shape));
      }
      default: {
        std::string name = input.name;
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        const bool is_mask = name.find("mask") != std::string::npos;
        // Inputs whose name contains "type" are treated as token types: 0 for the first sentence, 1
        // for the second one.
        const bool is_type = name.find("type") != std::string::npos;
        std::uint64_t limit = *input.dtype == DType::kBool || is_type ? 2 : kIntegers;
        if (const auto given = integer_limits_.find(input.name); given != integer_limits_.end()) {
          limit = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(given->second), 1, limit);
        }
        std::vector<std::uint8_t> values(count);
        for (std::uint8_t& value : values) {
          value = is_mask ? std::uint8_t{1} : static_cast<std::uint8_t>(random() % limit);
        }
        return ConvertTo(*input.dtype, TensorView(values, input.shape));
      }
    }
  }

  // Converts values with mean 0 and standard deviation 1 to the given range.
  static void Fill(const SampleOptions::ValueRange& range, std::vector<float>& values) {
    const float middle = range.low / 2 + range.high / 2, deviation = (range.high - range.low) / 6;
    for (float& value : values) {
      value = std::clamp(middle + value * deviation, range.low, range.high);
    }
  }

  std::vector<ModelValue> inputs_;
  std::map<std::string, SampleOptions::ValueRange> ranges_;
  std::map<std::string, std::int64_t> integer_limits_;
  std::size_t size_;
  std::uint64_t seed_;
  std::vector<OwnedTensor> generated_;
};

// Returns the names of the first dimensions of a model's inputs. Every dimension with such a name
// is treated as the batch, even if it is not the first one, as in the state of a recurrent model.
std::unordered_set<std::string> NamesOfBatches(std::span<const ModelValue> inputs) {
  std::unordered_set<std::string> names;
  for (const ModelValue& input : inputs) {
    if (!input.dimension_names.empty()) names.insert(input.dimension_names[0]);
  }
  names.erase("");
  names.erase("?");
  return names;
}

}  // namespace

Result<std::unique_ptr<SampleSource>> GenerateSamples(std::span<const ModelValue> inputs,
                                                      const SampleOptions& options) {
  std::vector<ModelValue> fixed(inputs.begin(), inputs.end());
  const std::unordered_set<std::string> batches = NamesOfBatches(inputs);
  for (ModelValue& input : fixed) {
    if (const auto chosen = options.shapes.find(input.name); chosen != options.shapes.end()) {
      input.shape = chosen->second;
    }
    std::int64_t count = 1;
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
      std::int64_t& size = input.shape[i];
      const bool is_batch = i == 0 || (i < input.dimension_names.size() &&
                                       batches.contains(input.dimension_names[i]));
      if (size < 0) size = is_batch ? options.batch_size : options.open_dimension;
      if (size > kMaxGeneratedElements ||
          (count *= std::max<std::int64_t>(size, 1)) > kMaxGeneratedElements) {
        return Fail(ErrorCode::kInvalidArgument, "input " + Quoted(input.name) + " is " +
                                                     Describe(input) +
                                                     ", which is too large for random data; give "
                                                     "samples with --data, or a smaller shape");
      }
    }
  }
  return std::make_unique<GeneratedSamples>(std::move(fixed), options);
}

}  // namespace cboard::runtime
