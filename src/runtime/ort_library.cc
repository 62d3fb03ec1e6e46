#include "runtime/ort_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>

#include "cboard/base/strings.h"

namespace cboard::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnvironmentVariable = "CB_ONNXRUNTIME_LIB";

constexpr const char* kAdvice =
    "install it with `pip install onnxruntime`, or name its library in $CB_ONNXRUNTIME_LIB";

// A log function that discards messages. ONNX Runtime would print them to standard error.
void Discard(void*, int, const char*, const char*, const char*, const char*) {}

// Lists the entries of `folder` whose names start with `prefix`, sorted. Returns an empty list if
// the folder cannot be read.
std::vector<fs::path> EntriesOf(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    if (i->path().filename().native().starts_with(prefix)) entries.push_back(i->path());
  }
  std::ranges::sort(entries);
  return entries;
}

void AddLibrariesIn(const fs::path& folder, std::vector<fs::path>& found) {
  for (fs::path& entry : EntriesOf(folder, "libonnxruntime.so")) found.push_back(std::move(entry));
}

// Adds the library of the ONNX Runtime package in a Python environment:
// lib/python3.11/site-packages/onnxruntime/capi.
void AddPythonLibraries(const fs::path& prefix, std::vector<fs::path>& found) {
  for (const fs::path& python : EntriesOf(prefix / "lib", "python3")) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      AddLibrariesIn(python / packages / "onnxruntime/capi", found);
    }
  }
}

// Adds the library of the ONNX Runtime package in a node_modules folder.
void AddNodeLibraries(const fs::path& modules, std::vector<fs::path>& found) {
#if defined(__aarch64__)
  constexpr const char* kPlatform = "linux/arm64";
#else
  constexpr const char* kPlatform = "linux/x64";
#endif
  for (const fs::path& abi : EntriesOf(modules / "onnxruntime-node/bin", "napi-v")) {
    AddLibrariesIn(abi / kPlatform, found);
  }
}

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::string_view NamedLibrary() { return Variable(kEnvironmentVariable); }

std::vector<fs::path> LibraryCandidates() {
  std::vector<fs::path> found;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (!Variable(variable).empty()) AddPythonLibraries(Variable(variable), found);
  }
  std::error_code error;
  const std::vector<std::string_view> path = Split(Variable("PATH"), ':');
  for (const std::string_view folder : path) {
    if (!folder.empty() && fs::exists(fs::path(folder) / "python3", error)) {
      AddPythonLibraries(fs::path(folder).parent_path(), found);
    }
  }
  // This program is at build/<preset>/bin/program, and scripts/fetch-onnxruntime installs ONNX
  // Runtime in build/ort.
  const fs::path build = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  if (!build.empty()) {
    AddLibrariesIn(build.parent_path() / "ort/python/onnxruntime/capi", found);
  }
  // Does not search node_modules in the current folder: the author of that folder could run code in
  // this process.
  if (!Variable("NODE_PATH").empty()) AddNodeLibraries(Variable("NODE_PATH"), found);
  for (const std::string_view folder : path) {
    if (!folder.empty() && fs::exists(fs::path(folder) / "node", error)) {
      AddNodeLibraries(fs::path(folder).parent_path() / "lib/node_modules", found);
    }
  }
  // Adds library names without a folder. The system's loader searches them.
  found.emplace_back("libonnxruntime.so.1");
  found.emplace_back("libonnxruntime.so");
  return found;
}

Result<std::shared_ptr<const OrtLibrary>> OrtLibrary::LoadFile(const fs::path& path) {
  static std::mutex mutex;
  // The map of libraries is never destroyed, because sessions in other static objects may be
  // destroyed later.
  static auto& loaded = *new std::map<fs::path, std::shared_ptr<const OrtLibrary>>;
  const std::scoped_lock lock(mutex);
  if (const auto known = loaded.find(path); known != loaded.end()) return known->second;

  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Fail(ErrorCode::kNotFound,
                std::string("the library of ONNX Runtime could not be loaded: ") + ::dlerror());
  }
  using GetApiBase = const ort::ApiBase* (*)();
  const auto get_api_base = reinterpret_cast<GetApiBase>(::dlsym(handle, "OrtGetApiBase"));
  const ort::ApiBase* const base = get_api_base == nullptr ? nullptr : get_api_base();
  if (base == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "the file " + Quoted(path.string(), 1000) +
                    " is not the library of ONNX Runtime, because it lacks the function "
                    "OrtGetApiBase; give the path of libonnxruntime.so");
  }
  const std::string version = base->GetVersionString();
  const void* const table = base->GetApi(ort::kApiVersion);
  if (table == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                Quoted(path.string(), 1000) + " is ONNX Runtime " + version +
                    ", which is too old; install version 1.11 or newer");
  }
  std::shared_ptr<OrtLibrary> library(new OrtLibrary(ort::Api(table), path, version));
  const ort::Api& api = library->api_;
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kCreateEnvWithCustomLogger](Discard, nullptr, ort::kLogFatal,
                                                          "compression-board", &library->env_),
                     "start ONNX Runtime"));
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kCreateCpuMemoryInfo](ort::kDeviceAllocator, ort::kDefaultMemory,
                                                    &library->cpu_memory_),
                     "start ONNX Runtime"));
  CBOARD_RETURN_IF_ERROR(library->Check(
      api[ort::kGetAllocatorWithDefaultOptions](&library->allocator_), "start ONNX Runtime"));
  return loaded[path] = std::move(library);
}

Result<std::shared_ptr<const OrtLibrary>> OrtLibrary::Load(const fs::path& path) {
  const auto with_advice = [](Error error) {
    error.message += std::string("; ") + kAdvice;
    return Fail(std::move(error));
  };
  // If the user has named a library, only this library is used. It would be surprising if another
  // one was used instead.
  const std::string_view variable = NamedLibrary();
  if (!variable.empty() || !path.empty()) {
    auto library = LoadFile(variable.empty() ? path : fs::path(variable));
    if (!library) return with_advice(std::move(library).error());
    return library;
  }
  Error last{ErrorCode::kNotFound, "ONNX Runtime is not installed"};
  for (const fs::path& candidate : LibraryCandidates()) {
    auto library = LoadFile(candidate);
    if (library) return library;
    // If a library exists but does not load, its error is more useful than the error of a missing
    // library.
    if (candidate.has_parent_path()) last = std::move(library).error();
  }
  return with_advice(std::move(last));
}

bool OrtLibrary::IsAtLeast(int major, int minor) const {
  const std::vector<std::string_view> parts = Split(version_, '.');
  int numbers[2] = {};
  for (std::size_t i = 0; i < 2 && i < parts.size(); ++i) {
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
  }
  return numbers[0] > major || (numbers[0] == major && numbers[1] >= minor);
}

Result<void> OrtLibrary::Check(ort::Status* status, std::string_view doing) const {
  if (status == nullptr) return {};
  const int code = api_[ort::kGetErrorCode](status);
  const std::string reason = ToValidUtf8(api_[ort::kGetErrorMessage](status));
  std::string message = "ONNX Runtime " + version_ + " cannot " + std::string(doing) + ": ";
  api_[ort::kReleaseStatus](status);
  // Recognizes missing memory by the text of the error. ONNX Runtime has no error code for it, and
  // its message names internal functions.
  if (reason.find("Failed to allocate memory") != std::string::npos ||
      reason.find("bad_alloc") != std::string::npos) {
    message += "it takes more memory than this process can get";
    return Fail(ErrorCode::kResourceExhausted, std::move(message));
  }
  message += reason;
  constexpr int kNoSuchFile = 3, kInvalidProtobuf = 7;
  if (code == kNoSuchFile) return Fail(ErrorCode::kNotFound, std::move(message));
  if (code == kInvalidProtobuf) return Fail(ErrorCode::kDataLoss, std::move(message));
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace cboard::runtime
