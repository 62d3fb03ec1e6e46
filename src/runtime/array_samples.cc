#include <algorithm>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/runtime/npy.h"
#include "runtime/sample_sources.h"

namespace cboard::runtime {
namespace {

std::string Describe(const TensorView& tensor) {
  return cboard::runtime::Describe(
      ModelValue{.type = std::string(NameOf(tensor.dtype)), .shape = tensor.shape});
}

std::string Describe(const NpyFile::Array& array) {
  return Describe(TensorView(array.dtype, nullptr, array.shape));
}

// The array of an input, divided into samples.
struct Slices {
  ModelValue input;
  TensorView array;  // The requested samples.
  std::size_t sample_rows = 1;
  std::vector<std::int64_t> shape;  // Shape of one sample.
  std::size_t count = 0;
  std::size_t size_bytes = 0;  // Size of one sample in the array's dtype.
  bool is_for_all = false;     // A single number, such as a sampling rate.
};

bool Fits(std::span<const std::int64_t> sizes, std::span<const std::int64_t> wanted) {
  return std::ranges::equal(
      sizes, wanted, [](std::int64_t size, std::int64_t want) { return want < 0 || size == want; });
}

// Divides an array into samples by the rules of OpenSamples.
Result<Slices> Cut(const ModelValue& input, const NpyFile::Array& array,
                   const SampleOptions& options) {
  Slices slices{.input = input, .array = {}};
  const std::span<const std::int64_t> have = array.shape, want = input.shape;
  if (want.empty()) {
    // The input is a scalar, or the model does not declare its rank. Each element or row is then a
    // sample.
    slices.shape.assign(have.begin() + (have.empty() ? 0 : 1), have.end());
    slices.count = have.empty() ? 1 : static_cast<std::size_t>(have[0]);
  } else if (have.size() == want.size() && Fits(have.subspan(1), want.subspan(1))) {
    const std::int64_t batch =
        want[0] >= 0 ? want[0] : std::min(options.batch_size, std::max<std::int64_t>(have[0], 1));
    slices.shape.assign(have.begin(), have.end());
    slices.shape[0] = batch;
    slices.sample_rows = static_cast<std::size_t>(batch);
    slices.count = batch == 0 ? 0 : static_cast<std::size_t>(have[0] / batch);
  } else if (have.size() == want.size() + 1 && Fits(have.subspan(1), want)) {
    slices.shape.assign(have.begin() + 1, have.end());
    slices.count = static_cast<std::size_t>(have[0]);
  } else if (have.size() + 1 == want.size() && (want[0] < 0 || want[0] == 1) &&
             Fits(have, want.subspan(1))) {
    slices.shape.assign(have.begin(), have.end());
    slices.shape.insert(slices.shape.begin(), 1);
    slices.count = 1;
    slices.sample_rows = NpyFile::kAllRows;
  } else {
    return Fail(ErrorCode::kInvalidArgument, "the data for input " + Quoted(input.name) + " is " +
                                                 Describe(array) + ", but the model needs " +
                                                 Describe(input) +
                                                 " for each sample; reshape the array");
  }
  slices.size_bytes = SizeOf(array.dtype);
  for (const std::int64_t size : slices.shape) {
    slices.size_bytes *= static_cast<std::size_t>(size);
  }
  slices.is_for_all =
      have.size() <= 1 && slices.count == 1 && slices.size_bytes == SizeOf(array.dtype);
  if (slices.count == 0) {
    return Fail(ErrorCode::kInvalidArgument, "the data for input " + Quoted(input.name) + " is " +
                                                 Describe(array) + ", but must be one sample of " +
                                                 Describe(input));
  }
  return slices;
}

// Returns the index of the array that belongs to each input.
Result<std::vector<std::size_t>> Assign(const NpyFile& file, std::span<const ModelValue> inputs) {
  const auto& arrays = file.arrays();
  std::vector<std::size_t> assigned;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < arrays.size(); ++i) by_name.emplace(arrays[i].name, i);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto found = by_name.find(inputs[i].name);
    if (found == by_name.end()) found = by_name.find("arr_" + std::to_string(i));
    if (found != by_name.end()) {
      assigned.push_back(found->second);
    } else if (inputs.size() == 1 && arrays.size() == 1) {
      assigned.push_back(0);
    } else {
      std::string names;
      for (const NpyFile::Array& array : arrays) {
        if (names.size() > 500) break;
        names += (names.empty() ? "" : ", ") + Quoted(array.name);
      }
      return Fail(ErrorCode::kInvalidArgument, "the data has no array for input " +
                                                   Quoted(inputs[i].name) + ", " +
                                                   Describe(inputs[i]) + "; the file has " +
                                                   (names.empty() ? std::string("none") : names));
    }
  }
  return assigned;
}

// Returns the number of samples. All arrays must have this number of samples, except arrays that
// are used for all samples.
Result<std::size_t> CountSamples(std::span<const Slices> slices, const std::string& file) {
  const Slices* counted = nullptr;
  for (const Slices& other : slices) {
    if (other.is_for_all) continue;
    if (counted != nullptr && other.count != counted->count) {
      return Fail(ErrorCode::kInvalidArgument,
                  file + ": there are " + std::to_string(counted->count) + " samples of " +
                      Quoted(counted->input.name) + " and " + std::to_string(other.count) + " of " +
                      Quoted(other.input.name) +
                      "; save the same number for each input, for example with numpy.repeat");
    }
    counted = &other;
  }
  return counted == nullptr ? 1 : counted->count;
}

class ArraySamples final : public SampleSource {
 public:
  ArraySamples(NpyFile file, std::string name, std::vector<Slices> slices, std::size_t size)
      : file_(std::move(file)), name_(std::move(name)), slices_(std::move(slices)), size_(size) {}

  std::size_t size() const override { return size_; }
  std::string Description() const override { return name_; }

  Result<std::vector<NamedTensor>> Read(std::size_t index) override {
    std::vector<NamedTensor> inputs;
    copies_.clear();
    for (const Slices& slices : slices_) {
      const auto* const data = static_cast<const std::byte*>(slices.array.data) +
                               (slices.is_for_all ? 0 : index * slices.size_bytes);
      OwnedTensor sample{.dtype = slices.array.dtype,
                         .shape = slices.shape,
                         .elements = {data, data + slices.size_bytes}};
      if (sample.dtype != *slices.input.dtype) {
        auto converted = ConvertTo(*slices.input.dtype, sample.view());
        if (!converted) {
          return Fail(Annotate(std::move(converted).error(), "input " + Quoted(slices.input.name)));
        }
        sample = *std::move(converted);
      }
      copies_.push_back(std::move(sample));
      mapped_bytes_ += slices.size_bytes;
    }
    // Releases the pages of copied samples, because they would count as memory of this process.
    if (mapped_bytes_ > kMaxMappedBytes) {
      file_.ReleasePages();
      mapped_bytes_ = 0;
    }
    // Checks the file after the samples were copied: the copies cannot change any more.
    CBOARD_RETURN_IF_ERROR(file_.CheckUnchanged());
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      inputs.push_back({slices_[i].input.name, copies_[i].view()});
    }
    return inputs;
  }

 private:
  NpyFile file_;
  std::string name_;
  std::vector<Slices> slices_;
  std::size_t size_;
  std::vector<OwnedTensor> copies_;  // The last sample.

  static constexpr std::size_t kMaxMappedBytes = std::size_t{16} << 20;
  std::size_t mapped_bytes_ = 0;  // Bytes that were copied since pages were released.
};

}  // namespace

Result<std::unique_ptr<SampleSource>> OpenArraySamples(const std::filesystem::path& file,
                                                       std::span<const ModelValue> inputs,
                                                       const SampleOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(NpyFile arrays, NpyFile::Open(file));
  const std::string shown = Quoted(file.string(), 1000);
  auto assigned = Assign(arrays, inputs);
  if (!assigned) return Fail(Annotate(std::move(assigned).error(), shown));
  std::vector<Slices> slices;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto cut = Cut(inputs[i], arrays.arrays()[(*assigned)[i]], options);
    if (!cut) return Fail(Annotate(std::move(cut).error(), shown));
    slices.push_back(*std::move(cut));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t count, CountSamples(slices, shown));
  const std::size_t size = std::min(options.max_samples, count);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t rows = slices[i].sample_rows;
    auto array = arrays.Read((*assigned)[i], rows == NpyFile::kAllRows ? rows : rows * size);
    CBOARD_RETURN_IF_ERROR(arrays.CheckUnchanged());
    if (!array) return Fail(Annotate(std::move(array).error(), shown));
    slices[i].array = *std::move(array);
  }
  return std::make_unique<ArraySamples>(std::move(arrays),
                                        DescribeUsed(file.filename().string(), size, count),
                                        std::move(slices), size);
}

}  // namespace cboard::runtime
