// The element type of a tensor, in memory, in files and in logs: plain numbers, small floats,
// packed integers of two or four bits, or blocks of quantized values that carry their own scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cboard {

enum class DType : std::uint8_t {
  kUnknown,
  kFloat32,
  kFloat64,
  kFloat16,
  kBfloat16,
  kFloat8E4m3fn,
  kFloat8E4m3fnuz,
  kFloat8E5m2,
  kFloat8E5m2fnuz,
  kFloat8E8m0,  // A power of two that is the scale of a block.
  kFloat4E2m1,  // Packed two per byte, the first in the lower half; the next four types too.
  kInt4,
  kUint4,
  kInt2,
  kUint2,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kBool,
  kComplex64,
  kComplex128,
  kString,
  // Block types of GGUF files. Each block of elements stores its own scales and minima.
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kQ8_K,
  kIq4Nl,
  kIq4Xs,
  kTq1_0,
  kTq2_0,
  kMxfp4,
  // Block types of GGUF files whose codes are indices into large tables. The program lists and
  // counts these tensors, but does not dequantize them.
  kIq1S,
  kIq1M,
  kIq2Xxs,
  kIq2Xs,
  kIq2S,
  kIq3Xxs,
  kIq3S,
};

// "float32", "int4", "q4_k", …
std::string_view NameOf(DType type);
// Returns the element type called `name`; kUnknown if there is none.
DType DTypeNamed(std::string_view name);

// The memory layout of an element type: `elements` elements take `bytes` bytes. For example {1, 4}
// for float32, {2, 1} for int4 and {32, 18} for q4_0. {1, 0} for strings and unknown types, because
// their size does not follow from the shape.
struct ElementLayout {
  std::size_t elements = 1;
  std::size_t bytes = 0;
};
ElementLayout LayoutOf(DType type);

// Returns the bits per element, including the scales of a block: 32 for float32, 4 for int4, 4.5
// for q4_0, 0 for unknown types.
double BitsPerElement(DType type);

// Returns the size of one element in bytes; 0 if an element is not a fixed number of whole bytes:
// packed types, blocks and strings.
std::size_t SizeOf(DType type);

// True for types that programs read directly as arrays: floats of 16 to 64 bits, integers of 8 to
// 64 bits, bool.
bool IsPlain(DType type);

// True for element types that are floats of 16 to 64 bits.
bool IsFloat(DType type);

// True for element types that are integers of any width; false for bool.
bool IsInteger(DType type);

// True for the block types of GGUF files.
bool IsBlockType(DType type);

// True for types whose elements can be read as real numbers: all except strings, complex numbers,
// unknown types, and blocks that need tables.
bool HoldsRealNumbers(DType type);

// True for element types that can store quantized codes, which a scale converts to real values:
// integers, and floats of eight or four bits.
bool HoldsCodes(DType type);

}  // namespace cboard
