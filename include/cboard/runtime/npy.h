// Reads NumPy arrays from files: .npy, and .npz with several arrays.
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

// A NumPy array in a file.
struct NpyArray {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;  // The first dimension varies fastest.
  ByteSpan data;               // Exactly the number of bytes that the shape needs.
};

// Parses the content of a .npy file. Fails with kInvalidArgument if it is not a .npy file, or if
// TensorView does not support its dtype (objects, strings, records, big-endian numbers). Fails with
// kDataLoss if the header is invalid, and with kTruncated if elements are missing.
Result<NpyArray> ParseNpy(ByteSpan file);

// The arrays of a .npy or .npz file. Opening reads only headers; Read() reads only the requested
// elements. Arrays that are row-major and not compressed are mapped. Compressed arrays and arrays
// in Fortran order need memory. Movable; not thread-safe.
class NpyFile {
 public:
  struct Array {
    std::string name;  // The file's stem for .npy; the key in an .npz.
    DType dtype = DType::kFloat32;
    std::vector<std::int64_t> shape;
  };

  // Maximum memory for decompressed and reordered arrays of one file.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

  // Arrays below this size are always read completely: only then can their checksum be verified.
  static constexpr std::uint64_t kAlwaysCheckedBytes = std::uint64_t{64} << 20;

  static constexpr std::size_t kAllRows = ~std::size_t{0};

  // Opens a .npy or .npz file. Fails like ParseNpy. Also fails if a .npz file is damaged or
  // contains the same name twice.
  static Result<NpyFile> Open(const std::filesystem::path& path,
                              std::uint64_t max_bytes = kMaxBytes);
  // Opens a .npy or .npz file that is already in memory. Borrows `file`.
  static Result<NpyFile> FromBytes(ByteSpan file, std::string name, std::uint64_t max_bytes);

  NpyFile(NpyFile&&) noexcept;
  NpyFile& operator=(NpyFile&&) noexcept;
  ~NpyFile();

  const std::vector<Array>& arrays() const { return arrays_; }

  // Returns the elements of an array in row-major order, or only its first `max_rows` rows; a row
  // is an index of the first dimension. The view is valid as long as this object. Fails with
  // kDataLoss or kTruncated if the file is damaged, and with kResourceExhausted if the arrays that
  // were read need more than `max_bytes` of memory in total.
  Result<TensorView> Read(std::size_t array, std::size_t max_rows = kAllRows);

  // Checks that the file has not changed since it was opened. Otherwise fails with kUnavailable;
  // the elements may then be those of the old or of the new version.
  Result<void> CheckUnchanged() const;

  // Returns the memory of mapped elements to the system. If they are accessed later, they are read
  // from the file again.
  void ReleasePages() const;

 private:
  struct Source;

  NpyFile(ByteSpan file, std::uint64_t max_bytes);
  Result<void> AddHeader(std::string name, ByteSpan beginning, Source source);

  ByteSpan file_;
  std::uint64_t budget_bytes_;
  std::shared_ptr<const model::MappedFile> mapping_;
  std::vector<std::unique_ptr<std::string>> memory_;
  std::vector<Array> arrays_;
  std::vector<Source> sources_;  // One source per array.
};

}  // namespace cboard::runtime
