#include "runtime/providers.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cboard/base/strings.h"
#include "cboard/runtime/session.h"

namespace cboard::runtime {
namespace {

constexpr std::string_view kSuffix = "ExecutionProvider";

// Converts ONNX Runtime's name of a provider to the short name: "CUDAExecutionProvider" becomes
// "cuda".
std::string ShortName(std::string_view name) {
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Lists the execution providers by ONNX Runtime's full names.
Result<std::vector<std::string>> FullNames(const OrtLibrary& library) {
  constexpr std::string_view kDoing = "list its execution providers";
  char** names = nullptr;
  int count = 0;
  CBOARD_RETURN_IF_ERROR(
      library.Check(library.api()[ort::kGetAvailableProviders](&names, &count), kDoing));
  std::vector<std::string> found(names, names + count);
  CBOARD_RETURN_IF_ERROR(
      library.Check(library.api()[ort::kReleaseAvailableProviders](names, count), kDoing));
  return found;
}

}  // namespace

Result<std::vector<std::string>> ProvidersOf(const OrtLibrary& library) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<std::string> names, FullNames(library));
  for (std::string& name : names) name = ShortName(name);
  return names;
}

Result<std::vector<std::string>> FindProviders(const std::filesystem::path& library) {
  CBOARD_ASSIGN_OR_RETURN(const auto loaded, OrtLibrary::Load(library));
  return ProvidersOf(*loaded);
}

Result<void> AddProvider(const OrtLibrary& library, const std::string& provider,
                         ort::SessionOptions* settings) {
  if (provider == "cpu") return {};  // The CPU provider always exists.
  const std::string doing = "use the execution provider " + Quoted(provider);
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> names, FullNames(library));
  const auto found = std::ranges::find(names, provider, ShortName);
  if (found == names.end()) {
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + ShortName(name);
    return Fail(ErrorCode::kNotFound, "ONNX Runtime " + library.version() + " at " +
                                          Quoted(library.path().string(), 1000) +
                                          " has no execution provider " + Quoted(provider) +
                                          "; it has " + known +
                                          "; install the package of ONNX Runtime for it");
  }
  const ort::Api& api = library.api();
  if (provider == "cuda") {
    ort::CudaOptions* options = nullptr;
    CBOARD_RETURN_IF_ERROR(library.Check(api[ort::kCreateCUDAProviderOptions](&options), doing));
    ort::Status* const status =
        api[ort::kSessionOptionsAppendExecutionProvider_CUDA_V2](settings, options);
    api[ort::kReleaseCUDAProviderOptions](options);
    return library.Check(status, doing);
  }
  if (!library.IsAtLeast(1, 12)) {
    return Fail(ErrorCode::kFailedPrecondition,
                "execution providers other than cpu and cuda need "
                "ONNX Runtime 1.12 or newer, but the installed version is " +
                    library.version());
  }
  const std::string name = found->substr(0, found->size() - kSuffix.size());
  return library.Check(
      api[ort::kSessionOptionsAppendExecutionProvider](settings, name.c_str(), nullptr, nullptr, 0),
      doing);
}

}  // namespace cboard::runtime
