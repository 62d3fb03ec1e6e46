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

namespace cboard {

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

// Arrays of a .npy or .npz file, in row-major order. Arrays that the file stores so are mapped;
// compressed ones and those in Fortran's order are in memory.
class NpyFile {
 public:
  struct Array {
    std::string name;  // The file's stem for .npy; the key in an .npz.
    TensorView tensor;
  };

  // Fails as ParseNpy does, and when a .npz is damaged, holds the same name twice, or would take
  // more than `max_bytes` of memory.
  static Result<NpyFile> Open(const std::filesystem::path& path,
                              std::uint64_t max_bytes = std::uint64_t{16} << 30);
  static Result<NpyFile> FromBytes(ByteSpan file, std::string name, std::uint64_t max_bytes);

  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  Result<void> Add(std::string name, ByteSpan file, std::uint64_t& budget_bytes);

  std::shared_ptr<const void> mapping_;
  std::vector<std::unique_ptr<std::string>> memory_;
  std::vector<Array> arrays_;
};

}  // namespace cboard
