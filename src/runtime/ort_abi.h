// The functions of ONNX Runtime's C API that this program uses. With these declarations, the build
// needs neither the header nor the library of ONNX Runtime.
//
// The library returns a table of function pointers. New versions only append functions to the
// table, so a slot of the table has the same function in all later versions. If
// scripts/fetch-onnxruntime has downloaded the original header, ort_abi_test.cc compares the slots
// with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cboard::runtime::ort {

struct Env;
struct Status;
struct MemoryInfo;
struct Session;
struct Value;
struct RunOptions;
struct TypeInfo;
struct TensorInfo;
struct SessionOptions;
struct Allocator;
struct KeyValuePairs;
struct CudaOptions;

struct ApiBase {
  const void* (*GetApi)(std::uint32_t version);  // Null if the library is older.
  const char* (*GetVersionString)();
};

// API version of ONNX Runtime 1.11, the oldest release whose table has all slots below, except the
// slots that are listed for newer releases.
inline constexpr std::uint32_t kApiVersion = 11;

// A slot: an index into ONNX Runtime's table of functions, and the type of the function there.
template <typename Function>
struct Slot {
  std::size_t index;
};

using LoggingFunction = void (*)(void* parameter, int severity, const char* category,
                                 const char* log_id, const char* location, const char* message);

inline constexpr Slot<int(const Status*)> kGetErrorCode{1};
inline constexpr Slot<const char*(const Status*)> kGetErrorMessage{2};
inline constexpr Slot<Status*(LoggingFunction, void*, int severity, const char* log_id, Env**)>
    kCreateEnvWithCustomLogger{4};
inline constexpr Slot<Status*(const Env*, const char* path, const SessionOptions*, Session**)>
    kCreateSession{7};
inline constexpr Slot<Status*(const Env*, const void* model, std::size_t size,
                              const SessionOptions*, Session**)>
    kCreateSessionFromArray{8};
inline constexpr Slot<Status*(Session*, const RunOptions*, const char* const* input_names,
                              const Value* const* inputs, std::size_t input_count,
                              const char* const* output_names, std::size_t output_count,
                              Value** outputs)>
    kRun{9};
inline constexpr Slot<Status*(SessionOptions**)> kCreateSessionOptions{10};
inline constexpr Slot<Status*(SessionOptions*, const char* path)> kSetOptimizedModelFilePath{11};
inline constexpr Slot<Status*(SessionOptions*, const char* prefix)> kEnableProfiling{14};
inline constexpr Slot<Status*(SessionOptions*)> kDisableCpuMemArena{19};
inline constexpr Slot<Status*(SessionOptions*, int level)> kSetSessionGraphOptimizationLevel{23};
inline constexpr Slot<Status*(SessionOptions*, int threads)> kSetIntraOpNumThreads{24};
inline constexpr Slot<Status*(const Session*, std::size_t*)> kSessionGetInputCount{30};
inline constexpr Slot<Status*(const Session*, std::size_t*)> kSessionGetOutputCount{31};
inline constexpr Slot<Status*(const Session*, std::size_t index, TypeInfo**)>
    kSessionGetInputTypeInfo{33};
inline constexpr Slot<Status*(const Session*, std::size_t index, TypeInfo**)>
    kSessionGetOutputTypeInfo{34};
inline constexpr Slot<Status*(const Session*, std::size_t index, Allocator*, char**)>
    kSessionGetInputName{36};
inline constexpr Slot<Status*(const Session*, std::size_t index, Allocator*, char**)>
    kSessionGetOutputName{37};
inline constexpr Slot<Status*(const MemoryInfo*, void* data, std::size_t size_bytes,
                              const std::int64_t* shape, std::size_t rank, int element_type,
                              Value**)>
    kCreateTensorWithDataAsOrtValue{49};
inline constexpr Slot<Status*(const Value*, int*)> kIsTensor{50};
inline constexpr Slot<Status*(Value*, void**)> kGetTensorMutableData{51};
inline constexpr Slot<Status*(const TypeInfo*, const TensorInfo**)> kCastTypeInfoToTensorInfo{55};
inline constexpr Slot<Status*(const TensorInfo*, int*)> kGetTensorElementType{60};
inline constexpr Slot<Status*(const TensorInfo*, std::size_t*)> kGetDimensionsCount{61};
inline constexpr Slot<Status*(const TensorInfo*, std::int64_t*, std::size_t)> kGetDimensions{62};
inline constexpr Slot<Status*(const TensorInfo*, const char**, std::size_t)> kGetSymbolicDimensions{
    63};
inline constexpr Slot<Status*(const Value*, TensorInfo**)> kGetTensorTypeAndShape{65};
inline constexpr Slot<Status*(int allocator_type, int memory_type, MemoryInfo**)>
    kCreateCpuMemoryInfo{69};
inline constexpr Slot<Status*(Allocator*, void*)> kAllocatorFree{76};
inline constexpr Slot<Status*(Allocator**)> kGetAllocatorWithDefaultOptions{78};
inline constexpr Slot<void(Env*)> kReleaseEnv{92};
inline constexpr Slot<void(Status*)> kReleaseStatus{93};
inline constexpr Slot<void(MemoryInfo*)> kReleaseMemoryInfo{94};
inline constexpr Slot<void(Session*)> kReleaseSession{95};
inline constexpr Slot<void(Value*)> kReleaseValue{96};
inline constexpr Slot<void(TypeInfo*)> kReleaseTypeInfo{98};
inline constexpr Slot<void(TensorInfo*)> kReleaseTensorTypeAndShapeInfo{99};
inline constexpr Slot<void(SessionOptions*)> kReleaseSessionOptions{100};
inline constexpr Slot<Status*(Session*, Allocator*, char** path)> kSessionEndProfiling{110};
inline constexpr Slot<Status*(char*** names, int* count)> kGetAvailableProviders{125};
inline constexpr Slot<Status*(char** names, int count)> kReleaseAvailableProviders{126};
inline constexpr Slot<Status*(SessionOptions*, const char* key, const char* value)>
    kAddSessionConfigEntry{130};
inline constexpr Slot<Status*(const Session*, const MemoryInfo*, Allocator**)> kCreateAllocator{
    131};
inline constexpr Slot<void(Allocator*)> kReleaseAllocator{132};
inline constexpr Slot<Status*(SessionOptions*, const CudaOptions*)>
    kSessionOptionsAppendExecutionProvider_CUDA_V2{204};
inline constexpr Slot<Status*(CudaOptions**)> kCreateCUDAProviderOptions{205};
inline constexpr Slot<void(CudaOptions*)> kReleaseCUDAProviderOptions{208};

// The slots of newer ONNX Runtime releases. Check OrtLibrary::IsAtLeast before you use one. Release
// 1.12:
inline constexpr Slot<Status*(SessionOptions*, const char* provider, const char* const* keys,
                              const char* const* values, std::size_t count)>
    kSessionOptionsAppendExecutionProvider{216};
// 1.23:
inline constexpr Slot<void(const KeyValuePairs*, const char* const** keys,
                           const char* const** values, std::size_t* count)>
    kGetKeyValuePairs{298};
inline constexpr Slot<void(KeyValuePairs*)> kReleaseKeyValuePairs{300};
inline constexpr Slot<Status*(const Allocator*, KeyValuePairs**)> kAllocatorGetStats{319};

// The function table of ONNX Runtime.
class Api {
 public:
  explicit Api(const void* table) : table_(static_cast<const char*>(table)) {}

  template <typename Function>
  Function* operator[](Slot<Function> slot) const {
    Function* function;
    std::memcpy(&function, table_ + slot.index * sizeof(function), sizeof(function));
    return function;
  }

 private:
  const char* table_;
};

inline constexpr int kLogFatal = 4;
inline constexpr int kDisableOptimizations = 0;
inline constexpr int kEnableAllOptimizations = 99;
inline constexpr int kDeviceAllocator = 0;
inline constexpr int kDefaultMemory = 0;

}  // namespace cboard::runtime::ort
