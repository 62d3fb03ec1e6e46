#include "model/tflite/tflite_sparsity.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "cboard/base/strings.h"

namespace cboard::model {
namespace {

// The numbers of the fields that this reader uses, for each table of TFLite's schema.
namespace sparsity_field {
enum : std::size_t { kTraversalOrder, kBlockMap, kLevels };
}
namespace level_field {
enum : std::size_t { kFormat, kDenseSize, kSegmentsType, kSegments, kIndicesType, kIndices };
}

// Maximum rank. A dimension that is stored in blocks has two levels.
constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxLevels = 2 * kMaxRank;

tl::unexpected<Error> Damaged(std::string what) {
  return Fail(ErrorCode::kDataLoss, "the sparse tensor " + what);
}

// True if `numbers` are a permutation of [begin, begin + numbers.size()).
bool IsOrderOf(std::vector<std::int32_t> numbers, std::int32_t begin) {
  std::ranges::sort(numbers);
  return std::ranges::all_of(numbers, [&](std::int32_t number) { return number == begin++; });
}

// True if `numbers` are dimensions of a tensor of this rank, without duplicates.
bool AreDimensions(std::vector<std::int32_t> numbers, std::size_t rank) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end() &&
         (numbers.empty() ||
          (numbers.front() >= 0 && static_cast<std::size_t>(numbers.back()) < rank));
}

// The parsed structure of a sparse tensor. Owns its lists. Its errors are kDataLoss. The error
// texts have no subject, because the caller puts the name of the tensor in front: "needs 3 values
// but has 2".
class Sparsity {
 public:
  // Reads the SparsityParameters table of a tensor with this shape. The number of levels is
  // limited, so memory is limited whatever the file contains.
  static Result<Sparsity> Read(const FlatTable& table, const std::vector<std::int64_t>& shape);

  // Returns the size in bytes of the lists that contain positions.
  std::uint64_t index_bytes() const;

  // Checks that every position in the lists is inside the shape, and that the structure needs no
  // more than `value_count` values. Takes time proportional to index_bytes().
  Result<void> Check(std::size_t value_count) const;

  // Copies values to their positions in `dense`, which has room for all elements of the shape.
  // Other elements of `dense` are not changed. Call it only after a successful Check. Takes time
  // proportional to the number of values and to index_bytes().
  void Fill(ByteSpan values, std::size_t element_bytes, MutableByteSpan dense) const;

 private:
  // A list of numbers, copied from the file: another program may change the file between the check
  // and the use.
  struct Numbers {
    std::vector<std::byte> bytes;
    std::size_t width = 0;  // Bytes per number: 1, 2 or 4; 0 if there is no list.

    std::size_t size() const { return width == 0 ? 0 : bytes.size() / width; }
    std::int64_t operator[](std::size_t i) const;
  };

  struct Level {
    bool is_sparse = false;
    std::int64_t size = 0;   // Upper limit of all indices.
    std::uint64_t step = 0;  // Distance of consecutive indices in the dense tensor, in elements.
    Numbers segments, indices;
  };

  struct Copying {
    ByteSpan values;
    std::size_t element_bytes = 0;
    MutableByteSpan dense;
  };

  // Computes the size of each level, and the distance between its indices in the flat tensor.
  Result<void> Place(const std::vector<std::int64_t>& shape, const std::vector<std::int32_t>& order,
                     const std::vector<std::int32_t>& block_map);
  static Result<Level> ReadLevel(const FlatTable& table);
  // Reads a list of numbers from a union. A union takes two fields: its type is field `type`, and
  // the table with the list is the next field.
  static Numbers ReadNumbers(const FlatTable& table, std::size_t type);
  // Checks a sparse level with `parents` parent nodes. Returns the number of their children.
  static Result<std::uint64_t> CheckSparse(const Level& level, std::uint64_t parents);
  // Copies the values below one node of the tree to the dense tensor. The node is at `position` in
  // the level before `level`. `element` is the index in the flat dense tensor to which the indices
  // of the node and its parents lead. The recursion is as deep as the number of levels.
  void FillBelow(const Copying& copying, std::size_t level, std::size_t position,
                 std::uint64_t element) const;

  std::vector<Level> levels_;
};

std::int64_t Sparsity::Numbers::operator[](std::size_t i) const {
  const ByteSpan number = ByteSpan(bytes).subspan(i * width, width);
  switch (width) {
    case 1:
      return LoadLittleEndian<std::uint8_t>(number);
    case 2:
      return LoadLittleEndian<std::uint16_t>(number);
    default:
      return LoadLittleEndian<std::int32_t>(number);
  }
}

Sparsity::Numbers Sparsity::ReadNumbers(const FlatTable& table, std::size_t type) {
  // The bytes per index for each type of the union: None, Int32Vector, Uint16Vector, Uint8Vector.
  constexpr std::size_t kWidths[] = {0, 4, 2, 1};
  const auto kind = table.Number<std::uint8_t>(type);
  if (kind >= std::size(kWidths) || kWidths[kind] == 0) return {};
  const ByteSpan bytes = table.Table(type + 1).Vector(0, kWidths[kind]);
  return {{bytes.begin(), bytes.end()}, kWidths[kind]};
}

Result<Sparsity::Level> Sparsity::ReadLevel(const FlatTable& table) {
  Level level;
  const auto format = table.Number<std::int8_t>(level_field::kFormat);
  if (format != 0 && format != 1) {
    return Damaged("has a level of an unknown format, " + std::to_string(format));
  }
  level.is_sparse = format == 1;
  if (!level.is_sparse) {
    level.size = table.Number<std::int32_t>(level_field::kDenseSize);
    return level;
  }
  level.segments = ReadNumbers(table, level_field::kSegmentsType);
  level.indices = ReadNumbers(table, level_field::kIndicesType);
  if (level.segments.width == 0 || level.indices.width == 0) {
    return Damaged("has a sparse level without a list of segments or indices");
  }
  return level;
}

Result<Sparsity> Sparsity::Read(const FlatTable& table, const std::vector<std::int64_t>& shape) {
  const std::size_t rank = shape.size();
  if (rank == 0 || rank > kMaxRank) {
    return Damaged("has " + std::to_string(rank) + " dimensions, but only 1 to " +
                   std::to_string(kMaxRank) + " are supported for sparse tensors");
  }
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 1; })) {
    return Damaged("has a dimension of size 0");
  }
  const std::optional<std::uint64_t> count = ElementCount(shape);
  if (!count || *count > std::numeric_limits<std::size_t>::max() / 16) {
    return Damaged("exceeds the address space");
  }

  // Checks the lengths of the vectors before copying them: a vector may be as long as the file.
  const std::size_t level_count = table.Vector(sparsity_field::kLevels, 4).size() / 4;
  const std::size_t order_count = table.Vector(sparsity_field::kTraversalOrder, 4).size() / 4;
  const std::size_t block_count = table.Vector(sparsity_field::kBlockMap, 4).size() / 4;
  if (level_count > kMaxLevels || order_count != level_count || level_count != rank + block_count) {
    return Damaged("has " + std::to_string(level_count) +
                   " levels and a traversal order of length " + std::to_string(order_count) +
                   " for " + std::to_string(rank) + " dimensions and " +
                   std::to_string(block_count) + " block dimensions");
  }
  const auto order = table.Numbers<std::int32_t>(sparsity_field::kTraversalOrder);
  const auto first_block = order.begin() + static_cast<std::ptrdiff_t>(rank);
  if (!IsOrderOf({order.begin(), first_block}, 0) ||
      !IsOrderOf({first_block, order.end()}, static_cast<std::int32_t>(rank))) {
    return Damaged(
        "has a traversal order that does not list its dimensions first and its blocks then");
  }
  const auto block_map = table.Numbers<std::int32_t>(sparsity_field::kBlockMap);
  if (!AreDimensions(block_map, rank)) {
    return Damaged("has a block map that names a dimension twice or a missing dimension");
  }

  Sparsity sparsity;
  for (const FlatTable& level : table.Tables(sparsity_field::kLevels)) {
    CBOARD_ASSIGN_OR_RETURN(sparsity.levels_.emplace_back(), ReadLevel(level));
  }
  CBOARD_RETURN_IF_ERROR(sparsity.Place(shape, order, block_map));
  return sparsity;
}

Result<void> Sparsity::Place(const std::vector<std::int64_t>& shape,
                             const std::vector<std::int32_t>& order,
                             const std::vector<std::int32_t>& block_map) {
  const std::size_t rank = shape.size();
  // The distance between neighbouring elements along each dimension, and the block size of each
  // dimension.
  std::vector<std::uint64_t> steps(rank, 1);
  for (std::size_t i = rank - 1; i > 0; --i) {
    steps[i - 1] = steps[i] * static_cast<std::uint64_t>(shape[i]);
  }
  std::vector<std::int64_t> block_sizes(rank, 1);
  for (std::size_t i = rank; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    const auto dimension =
        static_cast<std::size_t>(block_map[static_cast<std::size_t>(order[i]) - rank]);
    if (level.is_sparse || level.size < 1 || shape[dimension] % level.size != 0) {
      return Damaged("cannot be divided into whole blocks along dimension " +
                     std::to_string(dimension));
    }
    block_sizes[dimension] = level.size;
    level.step = steps[dimension];
  }
  for (std::size_t i = 0; i < rank; ++i) {
    Level& level = levels_[i];
    const auto dimension = static_cast<std::size_t>(order[i]);
    const std::int64_t size = shape[dimension] / block_sizes[dimension];
    if (!level.is_sparse && level.size != size) {
      return Damaged("has a level whose size is " + std::to_string(level.size) + " instead of " +
                     std::to_string(size) + " for dimension " + std::to_string(dimension));
    }
    level.size = size;
    level.step = steps[dimension] * static_cast<std::uint64_t>(block_sizes[dimension]);
  }
  return {};
}

std::uint64_t Sparsity::index_bytes() const {
  std::uint64_t bytes = 0;
  for (const Level& level : levels_) {
    bytes += level.segments.bytes.size() + level.indices.bytes.size();
  }
  return bytes;
}

Result<std::uint64_t> Sparsity::CheckSparse(const Level& level, std::uint64_t parents) {
  const Numbers &segments = level.segments, &indices = level.indices;
  if (segments.size() == 0 || segments.size() - 1 != parents) {
    return Damaged("has " + std::to_string(segments.size()) + " segment bounds for " +
                   std::to_string(parents) + " segments");
  }
  // The segments must start at 0 and follow each other without gaps: the position of a node is then
  // also the position of its value.
  std::int64_t end = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] < end || (i == 0 && segments[i] != 0)) {
      return Damaged("has segment bounds that do not increase from 0: bound " + std::to_string(i) +
                     " is " + std::to_string(segments[i]));
    }
    end = segments[i];
  }
  const auto nodes = static_cast<std::size_t>(end);
  if (nodes > indices.size()) {
    return Damaged("has segments for " + std::to_string(nodes) + " indices but a list of " +
                   std::to_string(indices.size()));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    if (indices[i] < 0 || indices[i] >= level.size) {
      return Damaged("has the index " + std::to_string(indices[i]) + " in a level of size " +
                     std::to_string(level.size));
    }
  }
  return nodes;
}

Result<void> Sparsity::Check(std::size_t value_count) const {
  std::uint64_t nodes = 1;
  for (const Level& level : levels_) {
    if (level.is_sparse) {
      CBOARD_ASSIGN_OR_RETURN(nodes, CheckSparse(level, nodes));
    } else if (__builtin_mul_overflow(nodes, static_cast<std::uint64_t>(level.size), &nodes)) {
      return Damaged("exceeds the address space");
    }
  }
  if (nodes > value_count) {
    return Damaged("needs " + std::to_string(nodes) + " values but has " +
                   std::to_string(value_count));
  }
  return {};
}

void Sparsity::Fill(ByteSpan values, std::size_t element_bytes, MutableByteSpan dense) const {
  FillBelow({values, element_bytes, dense}, 0, 0, 0);
}

void Sparsity::FillBelow(const Copying& copying, std::size_t level, std::size_t position,
                         std::uint64_t element) const {
  if (level == levels_.size()) {
    const std::size_t bytes = copying.element_bytes;
    std::memcpy(copying.dense.data() + element * bytes, copying.values.data() + position * bytes,
                bytes);
    return;
  }
  const Level& here = levels_[level];
  if (here.is_sparse) {
    const auto end = static_cast<std::size_t>(here.segments[position + 1]);
    for (auto i = static_cast<std::size_t>(here.segments[position]); i < end; ++i) {
      const auto index = static_cast<std::uint64_t>(here.indices[i]);
      FillBelow(copying, level + 1, i, element + index * here.step);
    }
  } else {
    const auto size = static_cast<std::size_t>(here.size);
    for (std::size_t i = 0; i < size; ++i) {
      FillBelow(copying, level + 1, position * size + i, element + i * here.step);
    }
  }
}

}  // namespace

Result<void> SetSparseConstant(GraphAssembler& graph, TensorId id, DType type,
                               const std::vector<std::int64_t>& shape, const FlatTable& sparsity,
                               ByteSpan values) {
  const auto refused = [&](const Error& error) {
    return Fail(error.code, "the file is damaged: sparse tensor " + Quoted(graph.tensor(id).name) +
                                " of type " + std::string(NameOf(type)) + " and shape " +
                                ShapeText(shape) + ": " + error.message);
  };
  const Result<Sparsity> read = Sparsity::Read(sparsity, shape);
  if (!read) return refused(read.error());
  // Counts the memory for each tensor: many tensors may use the same lists and values.
  const std::uint64_t stored_bytes = read->index_bytes() + values.size();
  CBOARD_RETURN_IF_ERROR(graph.Charge(stored_bytes));
  const std::size_t element_bytes = LayoutOf(type).bytes;
  if (const Result<void> fits = read->Check(values.size() / element_bytes); !fits) {
    return refused(fits.error());
  }
  CBOARD_ASSIGN_OR_RETURN(const MutableByteSpan dense,
                          graph.SetUnfolded(id, type, shape, stored_bytes));
  read->Fill(values, element_bytes, dense);
  return {};
}

}  // namespace cboard::model
