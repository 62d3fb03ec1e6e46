// NumPy's arrays in files: .npy, and .npz with many of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::model {
class MappedFile;
}
namespace cboard::runtime {

// An array as it lies in a file.
struct NpyArray {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;  // The first dimension varies fastest.
  ByteSpan data;               // As many bytes as the shape says.
};

// `file` is the content of a .npy file. Fails with kInvalidArgument when it is something else, or
// of a dtype that TensorView has not (objects, strings, records, big-endian numbers), with
// kDataLoss when the header makes no sense, and with kTruncated when elements are missing.
Result<NpyArray> ParseNpy(ByteSpan file);

// Arrays of a .npy or .npz file. Opening one reads their headers; elements are read when asked for,
// and no more of them than that. Arrays that the file stores in row-major order are mapped;
// compressed ones and those in Fortran's order take memory. Movable; not thread-safe.
class NpyFile {
 public:
  struct Array {
    std::string name;  // The file's stem for .npy; the key in an .npz.
    DType dtype = DType::kFloat32;
    std::vector<std::int64_t> shape;
  };

  // Memory limit for inflated and rearranged arrays of one file.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

  // A part of an array that is smaller than this is read whole, so that its checksum is checked.
  static constexpr std::uint64_t kAlwaysCheckedBytes = std::uint64_t{64} << 20;

  static constexpr std::size_t kAllRows = ~std::size_t{0};

  // Fails as ParseNpy does, and when a .npz is damaged or holds the same name twice.
  static Result<NpyFile> Open(const std::filesystem::path& path,
                              std::uint64_t max_bytes = kMaxBytes);
  // Borrows `file`.
  static Result<NpyFile> FromBytes(ByteSpan file, std::string name, std::uint64_t max_bytes);

  NpyFile(NpyFile&&) noexcept;
  NpyFile& operator=(NpyFile&&) noexcept;
  ~NpyFile();

  const std::vector<Array>& arrays() const { return arrays_; }

  // The elements of an array in row-major order, or those of its first `max_rows` indices of the
  // first dimension. The view lives as long as this. Fails with kDataLoss or kTruncated for damage,
  // and with kResourceExhausted when all that was read would take more than `max_bytes` of memory.
  Result<TensorView> Read(std::size_t array, std::size_t max_rows = kAllRows);

  // Fails with kUnavailable when the file has changed since it was opened; then elements may be
  // those of either version.
  Result<void> CheckUnchanged() const;

 private:
  struct Source;

  NpyFile(ByteSpan file, std::uint64_t max_bytes);
  Result<void> AddHeader(std::string name, ByteSpan beginning, Source source);

  ByteSpan file_;
  std::uint64_t budget_bytes_;
  std::shared_ptr<const model::MappedFile> mapping_;
  std::vector<std::unique_ptr<std::string>> memory_;
  std::vector<Array> arrays_;
  std::vector<Source> sources_;  // One for each array.
};

}  // namespace cboard::runtime
