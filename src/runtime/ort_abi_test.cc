// Compares the slots with the original header, at compile time.
#include "runtime/ort_abi.h"

#include <gtest/gtest.h>
#include <onnxruntime_c_api.h>

#include <cstddef>

namespace cboard::runtime::ort {
namespace {

#define CBOARD_SAME_SLOT(name) \
  static_assert(offsetof(OrtApi, name) == k##name.index * sizeof(void*), #name)

CBOARD_SAME_SLOT(GetErrorCode);
CBOARD_SAME_SLOT(GetErrorMessage);
CBOARD_SAME_SLOT(CreateEnvWithCustomLogger);
CBOARD_SAME_SLOT(CreateSession);
CBOARD_SAME_SLOT(CreateSessionFromArray);
CBOARD_SAME_SLOT(Run);
CBOARD_SAME_SLOT(CreateSessionOptions);
CBOARD_SAME_SLOT(DisableCpuMemArena);
CBOARD_SAME_SLOT(SetSessionGraphOptimizationLevel);
CBOARD_SAME_SLOT(SetIntraOpNumThreads);
CBOARD_SAME_SLOT(SessionGetInputCount);
CBOARD_SAME_SLOT(SessionGetOutputCount);
CBOARD_SAME_SLOT(SessionGetInputTypeInfo);
CBOARD_SAME_SLOT(SessionGetOutputTypeInfo);
CBOARD_SAME_SLOT(SessionGetInputName);
CBOARD_SAME_SLOT(SessionGetOutputName);
CBOARD_SAME_SLOT(CreateTensorWithDataAsOrtValue);
CBOARD_SAME_SLOT(IsTensor);
CBOARD_SAME_SLOT(GetTensorMutableData);
CBOARD_SAME_SLOT(CastTypeInfoToTensorInfo);
CBOARD_SAME_SLOT(GetTensorElementType);
CBOARD_SAME_SLOT(GetDimensionsCount);
CBOARD_SAME_SLOT(GetDimensions);
CBOARD_SAME_SLOT(GetSymbolicDimensions);
CBOARD_SAME_SLOT(GetTensorTypeAndShape);
CBOARD_SAME_SLOT(CreateCpuMemoryInfo);
CBOARD_SAME_SLOT(AllocatorFree);
CBOARD_SAME_SLOT(GetAllocatorWithDefaultOptions);
CBOARD_SAME_SLOT(ReleaseEnv);
CBOARD_SAME_SLOT(ReleaseStatus);
CBOARD_SAME_SLOT(ReleaseMemoryInfo);
CBOARD_SAME_SLOT(ReleaseSession);
CBOARD_SAME_SLOT(ReleaseValue);
CBOARD_SAME_SLOT(ReleaseTypeInfo);
CBOARD_SAME_SLOT(ReleaseTensorTypeAndShapeInfo);
CBOARD_SAME_SLOT(ReleaseSessionOptions);
CBOARD_SAME_SLOT(AddSessionConfigEntry);
CBOARD_SAME_SLOT(SetOptimizedModelFilePath);
CBOARD_SAME_SLOT(EnableProfiling);
CBOARD_SAME_SLOT(SessionEndProfiling);
CBOARD_SAME_SLOT(GetAvailableProviders);
CBOARD_SAME_SLOT(ReleaseAvailableProviders);
CBOARD_SAME_SLOT(CreateAllocator);
CBOARD_SAME_SLOT(ReleaseAllocator);
CBOARD_SAME_SLOT(SessionOptionsAppendExecutionProvider_CUDA_V2);
CBOARD_SAME_SLOT(CreateCUDAProviderOptions);
CBOARD_SAME_SLOT(ReleaseCUDAProviderOptions);
CBOARD_SAME_SLOT(SessionOptionsAppendExecutionProvider);
CBOARD_SAME_SLOT(GetKeyValuePairs);
CBOARD_SAME_SLOT(ReleaseKeyValuePairs);
CBOARD_SAME_SLOT(AllocatorGetStats);

static_assert(kLogFatal == ORT_LOGGING_LEVEL_FATAL);
static_assert(kDisableOptimizations == ORT_DISABLE_ALL);
static_assert(kEnableAllOptimizations == ORT_ENABLE_ALL);
static_assert(kDeviceAllocator == OrtDeviceAllocator);
static_assert(kDefaultMemory == OrtMemTypeDefault);
static_assert(kApiVersion <= ORT_API_VERSION);

TEST(OrtAbi, IsThatOfTheHeaderThisWasCompiledWith) { EXPECT_LE(kApiVersion, ORT_API_VERSION); }

}  // namespace
}  // namespace cboard::runtime::ort
