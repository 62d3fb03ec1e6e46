#include "parquet/column_values.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "cboard/base/check.h"
#include "cboard/base/strings.h"
#include "parquet/index_runs.h"

namespace cboard::parquet {
namespace {

constexpr std::size_t kMaxBoundBytes = 1024;

template <typename Number>
std::string BytesOf(Number number) {
  return std::string(AsText(std::as_bytes(std::span(&number, 1))));
}

class TextValues final : public ColumnValues {
 public:
  void Append(const Cells& cells, std::size_t /*first*/, std::size_t count) override {
    CBOARD_CHECK(std::holds_alternative<std::string_view>(cells));
    const std::uint32_t index = IndexOf(std::get<std::string_view>(cells));
    value_count_ += count;
    if (!runs_.empty() && runs_.back().index == index) {
      runs_.back().count += count;
    } else {
      runs_.push_back({index, count});
    }
  }

  std::size_t text_bytes() const override { return dictionary_.size(); }

  ChunkContent Take() override {
    ChunkContent content{.value_count = value_count_, .dictionary_count = indices_.size()};
    const int bits = BitsPerIndex(indices_.size());
    content.values = static_cast<char>(bits) + EncodeIndices(runs_, bits);
    if (!indices_.empty()) {
      const auto [least, greatest] = std::ranges::minmax_element(
          indices_, {}, [](const auto& entry) -> const std::string& { return entry.first; });
      if (least->first.size() <= kMaxBoundBytes && greatest->first.size() <= kMaxBoundBytes) {
        content.bounds = Bounds{least->first, greatest->first};
      }
    }
    content.dictionary = std::move(dictionary_);
    *this = {};
    return content;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::uint32_t IndexOf(std::string_view text) {
    std::string replaced;
    if (!IsValidUtf8(text)) text = replaced = ToValidUtf8(text);
    const auto found = indices_.find(text);
    if (found != indices_.end()) return found->second;
    dictionary_ += BytesOf(static_cast<std::uint32_t>(text.size()));
    dictionary_ += text;
    const auto index = static_cast<std::uint32_t>(indices_.size());
    indices_.emplace(text, index);
    return index;
  }

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> indices_;
  std::string dictionary_;
  std::vector<IndexRun> runs_;
  std::size_t value_count_ = 0;
};

template <typename Number>
class NumberValues final : public ColumnValues {
 public:
  void Append(const Cells& cells, std::size_t first, std::size_t count) override {
    CBOARD_CHECK(std::holds_alternative<std::span<const Number>>(cells));
    const auto numbers = std::get<std::span<const Number>>(cells).subspan(first, count);
    bytes_ += AsText(std::as_bytes(numbers));
    for (const Number number : numbers) {
      least_ = std::min(least_, number);
      greatest_ = std::max(greatest_, number);
      has_nan_ |= number != number;
    }
  }

  ChunkContent Take() override {
    ChunkContent content{.value_count = bytes_.size() / sizeof(Number)};
    if (!bytes_.empty() && !has_nan_) {
      if constexpr (std::is_floating_point_v<Number>) {
        if (least_ == 0) least_ = -0.0;
        if (greatest_ == 0) greatest_ = 0.0;
      }
      content.bounds = Bounds{BytesOf(least_), BytesOf(greatest_)};
    }
    content.values = std::move(bytes_);
    *this = {};
    return content;
  }

 private:
  using Limits = std::numeric_limits<Number>;

  std::string bytes_;
  // If the type has infinity, the min starts at infinity. Otherwise a column that contains only
  // infinities would have wrong bounds.
  Number least_ = Limits::has_infinity ? Limits::infinity() : Limits::max();
  Number greatest_ = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  bool has_nan_ = false;
};

}  // namespace

std::unique_ptr<ColumnValues> ColumnValues::Make(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return std::make_unique<TextValues>();
    case ColumnType::kInt64:
      return std::make_unique<NumberValues<std::int64_t>>();
    case ColumnType::kDouble:
      break;
  }
  return std::make_unique<NumberValues<double>>();
}

}  // namespace cboard::parquet
