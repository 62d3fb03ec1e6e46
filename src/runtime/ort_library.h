// Finds ONNX Runtime and loads it at run time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "runtime/ort_abi.h"

namespace cboard::runtime {

// A loaded library and its environment. All sessions share it, and many threads may use it. It is
// never unloaded, because its threads may outlive every session.
class OrtLibrary {
 public:
  // Loads the library at `path`. If `path` is empty, loads the first of LibraryCandidates() that
  // can be loaded. Each library is loaded once per process. If none is found, fails with kNotFound;
  // the error says what to install.
  static Result<std::shared_ptr<const OrtLibrary>> Load(const std::filesystem::path& path);

  const ort::Api& api() const { return api_; }
  const ort::Env* env() const { return env_; }
  const ort::MemoryInfo* cpu_memory() const { return cpu_memory_; }
  ort::Allocator* allocator() const { return allocator_; }
  const std::filesystem::path& path() const { return path_; }
  const std::string& version() const { return version_; }

  // True if this is at least the given version of ONNX Runtime, for example 1.20.
  bool IsAtLeast(int major, int minor) const;

  // Converts a status of ONNX Runtime to a Result, and releases the status. `doing` is the action
  // that the error names: "run 'model.onnx'".
  Result<void> Check(ort::Status* status, std::string_view doing) const;

 private:
  OrtLibrary(ort::Api api, std::filesystem::path path, std::string version)
      : api_(api), path_(std::move(path)), version_(std::move(version)) {}

  static Result<std::shared_ptr<const OrtLibrary>> LoadFile(const std::filesystem::path& path);

  ort::Api api_;
  std::filesystem::path path_;
  std::string version_;
  ort::Env* env_ = nullptr;
  ort::MemoryInfo* cpu_memory_ = nullptr;
  ort::Allocator* allocator_ = nullptr;
};

// Returns the value of $CB_ONNXRUNTIME_LIB, or an empty text if it is not set.
std::string_view NamedLibrary();

// Returns possible paths of the library, best first: Python environments that are active or on
// PATH, the build directory of this program, Node's packages, and the system.
std::vector<std::filesystem::path> LibraryCandidates();

// Owns an object of ONNX Runtime and releases it in the destructor.
template <typename T>
class OrtHandle {
 public:
  OrtHandle() = default;
  OrtHandle(std::shared_ptr<const OrtLibrary> library, ort::Slot<void(T*)> release)
      : library_(std::move(library)), release_(release) {}
  OrtHandle(OrtHandle&& other) noexcept
      : library_(std::move(other.library_)),
        release_(other.release_),
        object_(std::exchange(other.object_, nullptr)) {}
  OrtHandle& operator=(OrtHandle&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(release_, other.release_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~OrtHandle() {
    if (object_ != nullptr) library_->api()[release_](object_);
  }

  T* get() const { return object_; }
  T** out() { return &object_; }

 private:
  std::shared_ptr<const OrtLibrary> library_;
  ort::Slot<void(T*)> release_{0};
  T* object_ = nullptr;
};

}  // namespace cboard::runtime
