#include "tensor/compare/compare_walk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "tensor/element_types.h"

namespace cboard::tensor {
namespace {

// Minimum number of consecutive elements of a channel for a kernel call of their own: a call costs
// as much as a hundred elements. Channels with fewer consecutive elements are first gathered from
// several places.
constexpr std::size_t kShortStretch = 64;

// Size of a tile: the number of lanes (channels), and the number of elements per lane. A tile fits
// into the second-level cache.
constexpr std::size_t kTileLanes = 128;
constexpr std::size_t kTileElements = 256;

// Reads the elements of one tensor as T: without a copy if possible, otherwise by converting them
// into a buffer.
template <typename T>
class Source {
 public:
  explicit Source(const TensorView& tensor) : tensor_(tensor) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data) % alignof(T) == 0;
    if (tensor.dtype == DTypeOf<T>() && aligned &&
        (std::is_integral_v<T> || !tensor.quantization)) {
      elements_ = static_cast<const T*>(tensor.data);
    }
  }

  // Returns the elements [first, first + count) of the tensor. The span is valid until the next
  // call.
  std::span<const T> Get(std::size_t first, std::size_t count) {
    if (elements_ != nullptr) return {elements_ + first, count};
    buffer_.resize(count);
    if constexpr (std::is_same_v<T, double>) {
      ReadDoubles(tensor_, first, buffer_);
    } else if constexpr (std::is_same_v<T, float>) {
      ReadFloats(tensor_, first, buffer_);
    }
    return buffer_;
  }

 private:
  const TensorView& tensor_;
  const T* elements_ = nullptr;
  std::vector<T> buffer_;
};

// Layout of the lanes of a tensor. A lane is an index of the channel axis. Without a channel axis,
// it is an index of the axis of the scales. The tensor consists of rows, and a row has `inner`
// consecutive elements of each lane.
struct Lanes {
  std::size_t count = 1;
  std::size_t inner = 1;
  bool are_channels = false;
  bool share_scale = true;  // True if all elements of a lane have one scale.
};

Lanes LanesOf(const TensorView& compressed, const ComparisonOptions& options) {
  const auto& quantization = compressed.quantization;
  const bool per_channel =
      quantization && quantization->granularity == Quantization::Granularity::kPerChannel;
  std::optional<std::size_t> axis = options.channel_axis;
  if (!axis && per_channel) axis = quantization->axis;
  Lanes lanes;
  lanes.are_channels = options.channel_axis.has_value();
  lanes.share_scale = !quantization ||
                      quantization->granularity == Quantization::Granularity::kPerTensor ||
                      (per_channel && axis == quantization->axis);
  lanes.inner = compressed.element_count();
  if (!axis) return lanes;
  lanes.count = static_cast<std::size_t>(compressed.shape[*axis]);
  lanes.inner = 1;
  for (std::size_t i = *axis + 1; i < compressed.shape.size(); ++i) {
    lanes.inner *= static_cast<std::size_t>(compressed.shape[i]);
  }
  return lanes;
}

// Compares two tensors piece by piece. X is the type that the baseline's elements are converted to,
// and Y is the type of the compressed elements.
template <typename X, typename Y>
class Walk {
 public:
  Walk(const TensorView& reference, const TensorView& compressed, const ComparisonOptions& options,
       std::span<PairSums> channels, SharedCounts& shared)
      : reference_(reference),
        compressed_(compressed),
        x_(reference),
        y_(compressed),
        count_(reference.element_count()),
        lanes_(LanesOf(compressed, options)),
        channels_(channels),
        shared_(shared) {
    if (compressed.quantization) {
      scales_.emplace(compressed);
      codes_ = CodesOf(compressed, options);
    } else if (options.grid) {
      grid_.emplace(options.grid->scale, options.grid->zero_point, options.grid->code_min,
                    options.grid->code_max);
    }
  }

  void Run() {
    if (lanes_.count > 1 && lanes_.inner < kShortStretch && lanes_.share_scale) return Gather();
    for (std::size_t first = 0, lane = 0; first < count_; first += lanes_.inner) {
      AddStretch(first, lanes_.inner, SumsOf(lane));
      lane = lane + 1 == lanes_.count ? 0 : lane + 1;
    }
  }

 private:
  PairSums& SumsOf(std::size_t lane) { return channels_[lanes_.are_channels ? lane : 0]; }

  Steps StepsOf(const QuantizedRun& run) const {
    return {run.scale, static_cast<std::int32_t>(run.zero_point), codes_.min, codes_.max};
  }

  // Adds consecutive elements of one channel, with any scales, to the sums of the channel.
  void AddStretch(std::size_t first, std::size_t count, PairSums& sums) {
    if (!scales_) return AddPart(first, count, grid_ ? &*grid_ : nullptr, sums);
    scales_->ForEachRun(first, first + count, [&](const QuantizedRun& run) {
      if (IsUsableScale(run.scale, run.zero_point)) {
        const Steps steps = StepsOf(run);
        AddPart(run.first, run.count, &steps, sums);
      } else {
        AddWithoutSteps(run.first, run.count, sums);
      }
    });
  }

  // Adds consecutive elements of one channel with the same scale to the sums of the channel.
  void AddPart(std::size_t first, std::size_t count, const Steps* steps, PairSums& sums) {
    for (const std::size_t end = first + count; first < end; first += kPairBlock) {
      const std::size_t size = std::min(kPairBlock, end - first);
      AddPairs(x_.Get(first, size), y_.Get(first, size), steps, sums);
    }
  }

  void AddPairs(std::span<const X> x, std::span<const Y> y, const Steps* steps, PairSums& sums) {
    [[maybe_unused]] const CodeMoments codes = AddToSums(x, y, steps, sums);
    if (shared_.bins && steps != nullptr) shared_.bins->Add(x, y, *steps);
    if constexpr (std::is_integral_v<Y>) InsertNewCodes(y, codes);
  }

  // Adds pairs of values to the sums of a channel. Returns the moments of the codes. Real values
  // have no codes; the result is then empty.
  static CodeMoments AddToSums(std::span<const X> x, std::span<const Y> y, const Steps* steps,
                               PairSums& sums) {
    if constexpr (std::is_integral_v<Y>) {
      return sums.AddCodes(x, y, *steps);
    } else {
      sums.AddReals(x, y, steps);
      return {};
    }
  }

  void InsertCodes(std::span<const Y> codes) {
    if (shared_.bins) return;
    if (!shared_.codes) shared_.codes.emplace();
    shared_.codes->Insert({reinterpret_cast<const std::uint8_t*>(codes.data()), codes.size()});
  }

  // Adds codes to the set of codes that occurred. Usually all codes between the min and max of
  // `codes` are already in the set; the function then returns early.
  void InsertNewCodes(std::span<const Y> codes, const CodeMoments& extremes) {
    if (shared_.bins || (extremes.min >= seen_range_.min && extremes.max <= seen_range_.max))
      return;
    InsertCodes(codes);
    if (extremes.max - extremes.min > seen_range_.max - seen_range_.min &&
        shared_.codes->ContainsAll(extremes.min, extremes.max)) {
      seen_range_ = extremes;
    }
  }

  // Adds elements whose scale is zero, infinite or NaN. Their dequantized values are compared,
  // because errors cannot be expressed in steps.
  void AddWithoutSteps(std::size_t first, std::size_t count, PairSums& sums) {
    std::vector<double> x(std::min(count, kPairBlock)), y(x.size());
    for (const std::size_t end = first + count; first < end; first += x.size()) {
      const std::size_t size = std::min(x.size(), end - first);
      ReadDoubles(reference_, first, std::span(x).first(size));
      ReadDoubles(compressed_, first, std::span(y).first(size));
      sums.AddReals(std::span<const double>(x).first(size), std::span<const double>(y).first(size),
                    nullptr);
    }
  }

  // Processes lanes (channels) that have few consecutive elements. Transposes the tensor in tiles,
  // so that neighbouring elements belong to different lanes, and then compares a group of lanes at
  // once.
  void Gather() {
    const std::size_t inner = lanes_.inner, row_length = lanes_.count * inner;
    const std::size_t rows = count_ / row_length;
    const std::size_t tile_rows = std::min(rows, std::max<std::size_t>(kTileElements / inner, 1));
    std::vector<X> x_tile(tile_rows * inner * kTileLanes);
    std::vector<Y> y_tile(x_tile.size());
    for (std::size_t row = 0; row < rows; row += tile_rows) {
      const std::size_t row_count = std::min(tile_rows, rows - row);
      for (std::size_t lane = 0; lane < lanes_.count; lane += kTileLanes) {
        const std::size_t lane_count = std::min(kTileLanes, lanes_.count - lane);
        for (std::size_t i = 0; i < row_count; ++i) {
          const std::size_t first = (row + i) * row_length + lane * inner;
          Turn(x_.Get(first, lane_count * inner), x_tile.data() + i * inner * kTileLanes);
          const std::span<const Y> y = y_.Get(first, lane_count * inner);
          Turn(y, y_tile.data() + i * inner * kTileLanes);
          if constexpr (std::is_integral_v<Y>) InsertCodes(y);
        }
        for (std::size_t i = 0; i < lane_count; i += kLaneGroup) {
          AddGroup(lane + i, std::min(kLaneGroup, lane_count - i), row_count * inner,
                   x_tile.data() + i, y_tile.data() + i);
        }
      }
    }
  }

  template <typename T>
  void Turn(std::span<const T> row, T* tile) const {
    if (lanes_.inner == 1) {
      std::ranges::copy(row, tile);
      return;
    }
    for (std::size_t i = 0; i < row.size(); i += lanes_.inner, ++tile) {
      for (std::size_t j = 0; j < lanes_.inner; ++j) tile[j * kTileLanes] = row[i + j];
    }
  }

  // Adds a group of lanes (channels) from a tile. `lane` is the first lane, and each lane has
  // `size` elements in one column of the tile.
  void AddGroup(std::size_t lane, std::size_t lane_count, std::size_t size, const X* x,
                const Y* y) {
    std::array<Steps, kLaneGroup> steps;
    LaneSteps lane_steps;
    const bool has_steps = scales_ || grid_;
    for (std::size_t i = 0; i < lane_count && has_steps; ++i) {
      if (scales_) {
        const QuantizedRun run = RunOf(lane + i);
        if (!IsUsableScale(run.scale, run.zero_point)) {
          return AddOneByOne(lane, lane_count, size, x, y);
        }
        steps[i] = StepsOf(run);
      } else {
        steps[i] = *grid_;
      }
      lane_steps.scale[i] = steps[i].scale;
      lane_steps.zero_point[i] = static_cast<double>(steps[i].zero_point);
      lane_steps.low[i] = steps[i].low;
      lane_steps.high[i] = steps[i].high;
    }
    const LaneErrors errors = ErrorsOfLanes(x, y, kTileLanes, size, lane_steps);
    for (std::size_t i = 0; i < lane_count; ++i) {
      PairSums& sums = SumsOf(lane + i);
      const Steps* of_lane = has_steps ? &steps[i] : nullptr;
      if (sums.AddLane(size, errors, i, of_lane, std::is_integral_v<Y>)) continue;
      AddToSums(LaneOf(x + i, size), LaneOf(y + i, size), of_lane, sums);
    }
    if (shared_.bins && has_steps) {
      shared_.bins->AddLanes(x, y, kTileLanes, size, lane_count, lane_steps);
    }
  }

  QuantizedRun RunOf(std::size_t lane) const {
    QuantizedRun found;
    scales_->ForEachRun(lane * lanes_.inner, lane * lanes_.inner + 1,
                        [&](const QuantizedRun& run) { found = run; });
    return found;
  }

  template <typename T>
  static std::vector<T> LaneOf(const T* column, std::size_t size) {
    std::vector<T> lane(size);
    for (std::size_t i = 0; i < size; ++i) lane[i] = column[i * kTileLanes];
    return lane;
  }

  // Adds a group of lanes (channels) one by one, because a lane in it has no usable scale.
  void AddOneByOne(std::size_t lane, std::size_t lane_count, std::size_t size, const X* x_columns,
                   const Y* y_columns) {
    for (std::size_t i = 0; i < lane_count; ++i) {
      const std::vector<X> x = LaneOf(x_columns + i, size);
      const std::vector<Y> y = LaneOf(y_columns + i, size);
      const QuantizedRun run = RunOf(lane + i);
      if (IsUsableScale(run.scale, run.zero_point)) {
        const Steps steps = StepsOf(run);
        AddPairs(std::span(x), std::span(y), &steps, SumsOf(lane + i));
        continue;
      }
      const std::vector<double> real_x(x.begin(), x.end());
      std::vector<double> real_y(y.begin(), y.end());
      if constexpr (std::is_integral_v<Y>) {
        for (double& value : real_y) value = (value - run.zero_point) * run.scale;
      }
      SumsOf(lane + i).AddReals(std::span(real_x), std::span<const double>(real_y), nullptr);
    }
  }

  const TensorView& reference_;
  const TensorView& compressed_;
  Source<X> x_;
  Source<Y> y_;
  std::size_t count_;
  Lanes lanes_;
  std::span<PairSums> channels_;
  SharedCounts& shared_;
  std::optional<ScaleLookup> scales_;
  ComparisonOptions::CodeRange codes_;
  // A range of codes that are all in the set of codes that occurred. They need not be added to the
  // set again.
  CodeMoments seen_range_{.min = 0, .max = -1};
  std::optional<Steps> grid_;
};

}  // namespace

ComparisonOptions::CodeRange CodesOf(const TensorView& codes, const ComparisonOptions& options) {
  if (options.code_range) return *options.code_range;
  return VisitElementType(codes.dtype, [](auto example) -> ComparisonOptions::CodeRange {
    using Element = decltype(example);
    if constexpr (std::is_integral_v<Element> && sizeof(Element) <= 2) {
      return {std::numeric_limits<Element>::min(), std::numeric_limits<Element>::max()};
    } else {
      // The range is unlimited: int32, wider integers and floats do not clip.
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    }
  });
}

void SharedCounts::Merge(const SharedCounts& other) {
  if (!bins) {
    bins = other.bins;
  } else if (other.bins) {
    bins->Merge(*other.bins);
  }
  if (!codes) {
    codes = other.codes;
  } else if (other.codes) {
    codes->Insert(*other.codes);
  }
}

std::optional<int> SharedCounts::used_codes() const {
  if (bins) return bins->used_codes();
  if (codes) return codes->size();
  return std::nullopt;
}

bool IsUsableScale(double scale, double zero_point) {
  return std::isfinite(scale) && scale != 0 && std::abs(zero_point) <= 1 << 20;
}

void WalkPairs(const TensorView& reference, const TensorView& compressed,
               const ComparisonOptions& options, std::span<PairSums> channels,
               SharedCounts& shared) {
  const auto walk = [&](auto x, auto y) {
    Walk<decltype(x), decltype(y)>(reference, compressed, options, channels, shared).Run();
  };
  if (compressed.quantization && FitsFloat32(reference) && compressed.dtype == DType::kInt8) {
    walk(float{}, std::int8_t{});
  } else if (compressed.quantization && FitsFloat32(reference) &&
             compressed.dtype == DType::kUint8) {
    walk(float{}, std::uint8_t{});
  } else if (FitsFloat32(reference) && FitsFloat32(compressed)) {
    walk(float{}, float{});
  } else {
    walk(double{}, double{});
  }
}

}  // namespace cboard::tensor
