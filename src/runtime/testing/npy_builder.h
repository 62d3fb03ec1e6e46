// Builds .npy and .npz files for the tests of this module.
#pragma once

#include <libdeflate.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cboard::testing {

template <typename T>
void AppendNumber(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Returns a .npy file of version 1 with this header dictionary.
inline std::string NpyWithHeader(std::string header, std::string_view elements) {
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  AppendNumber(file, static_cast<std::uint16_t>(header.size()));
  return file + header + std::string(elements);
}

template <typename T>
std::string Npy(std::string_view descr, std::string_view shape, const std::vector<T>& values,
                bool fortran_order = false) {
  return NpyWithHeader("{'descr': '" + std::string(descr) +
                           "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                           ", 'shape': " + std::string(shape) + ", }",
                       {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

// Returns an archive with these files, deflated if requested.
inline std::string Zip(const std::vector<std::pair<std::string, std::string>>& files,
                       bool deflated = false) {
  std::string archive, directory;
  for (const auto& [name, content] : files) {
    std::string data = content;
    if (deflated) {
      libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
      data.resize(libdeflate_deflate_compress_bound(compressor, content.size()));
      data.resize(libdeflate_deflate_compress(compressor, content.data(), content.size(),
                                              data.data(), data.size()));
      libdeflate_free_compressor(compressor);
    }
    std::string common;
    AppendNumber(common, std::uint16_t{20});
    AppendNumber(common, std::uint16_t{0});
    AppendNumber(common, std::uint16_t{static_cast<std::uint16_t>(deflated ? 8 : 0)});
    AppendNumber(common, std::uint32_t{0});
    AppendNumber(common, libdeflate_crc32(0, content.data(), content.size()));
    AppendNumber(common, static_cast<std::uint32_t>(data.size()));
    AppendNumber(common, static_cast<std::uint32_t>(content.size()));
    AppendNumber(common, static_cast<std::uint16_t>(name.size()));
    AppendNumber(common, std::uint16_t{0});
    directory += std::string("PK\x01\x02\x14\x00", 6) + common;
    directory.append(10, '\0');
    AppendNumber(directory, static_cast<std::uint32_t>(archive.size()));
    directory += name;
    archive += std::string("PK\x03\x04", 4) + common + name + data;
  }
  std::string end("PK\x05\x06\0\0\0\0", 8);
  AppendNumber(end, static_cast<std::uint16_t>(files.size()));
  AppendNumber(end, static_cast<std::uint16_t>(files.size()));
  AppendNumber(end, static_cast<std::uint32_t>(directory.size()));
  AppendNumber(end, static_cast<std::uint32_t>(archive.size()));
  AppendNumber(end, std::uint16_t{0});
  return archive + directory + end;
}

}  // namespace cboard::testing
