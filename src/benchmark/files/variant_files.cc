#include "cboard/benchmark/variant_files.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::benchmark {
namespace {

constexpr std::string_view kSeparators = "_-. ";

// Returns the length of the longest common prefix that ends with a separator.
std::size_t CommonPrefix(const std::vector<std::string>& stems) {
  std::size_t length = 0;
  while (std::ranges::all_of(stems, [&](const std::string& stem) {
    return length < stem.size() && stem[length] == stems[0][length];
  })) {
    ++length;
  }
  while (length > 0 && kSeparators.find(stems[0][length - 1]) == std::string_view::npos) --length;
  return length;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && kSeparators.find(text.back()) != std::string_view::npos) text.pop_back();
  while (!text.empty() && kSeparators.find(text.front()) != std::string_view::npos) {
    text.erase(text.begin());
  }
  return text;
}

// Returns true if no name is empty and all names differ.
bool AreUsable(const std::vector<std::string>& names) {
  return std::ranges::none_of(names, &std::string::empty) &&
         std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

}  // namespace

NamedFiles NameFiles(const std::vector<std::filesystem::path>& files) {
  NamedFiles named;
  std::vector<std::string> stems;
  for (const std::filesystem::path& file : files) stems.push_back(file.stem().string());
  std::vector<std::string> names = stems;
  const std::size_t prefix = files.size() > 1 ? CommonPrefix(stems) : 0;
  // If one file name has no suffix (resnet18.onnx beside resnet18_int8.onnx), this file is the
  // baseline.
  if (files.size() > 1 && prefix == 0) {
    const auto shortest = std::ranges::min_element(stems, {}, &std::string::size);
    const bool begins_all = std::ranges::all_of(stems, [&](const std::string& stem) {
      return stem == *shortest || (stem.starts_with(*shortest) &&
                                   kSeparators.find(stem[shortest->size()]) != std::string::npos);
    });
    if (begins_all) {
      named.model = *shortest;
      for (std::size_t i = 0; i < stems.size(); ++i) {
        names[i] = stems[i] == *shortest ? "fp32" : Trimmed(stems[i].substr(shortest->size()));
      }
    }
  } else if (prefix > 0) {
    named.model = Trimmed(stems[0].substr(0, prefix));
    for (std::size_t i = 0; i < stems.size(); ++i) names[i] = Trimmed(stems[i].substr(prefix));
  }
  if (!AreUsable(names)) names = stems;
  // Files in several directories have the same name, or a file is given twice.
  if (!AreUsable(names)) {
    for (std::size_t i = 0; i < names.size(); ++i) names[i] += "_" + std::to_string(i + 1);
  }
  if (named.model.empty() && !files.empty()) {
    const std::filesystem::path folder = std::filesystem::absolute(files[0]).parent_path();
    named.model = files.size() == 1 ? stems[0] : folder.filename().string();
  }
  if (named.model.empty()) named.model = "model";
  for (std::size_t i = 0; i < files.size(); ++i) named.variants.push_back({names[i], files[i]});
  return named;
}

Result<NamedFiles> ParseVariantArguments(const std::vector<std::string>& arguments) {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> names;
  for (const std::string& argument : arguments) {
    const std::size_t sign = argument.find('=');
    std::error_code ignored;
    const bool is_named = sign != std::string::npos && !std::filesystem::exists(argument, ignored);
    names.push_back(is_named ? argument.substr(0, sign) : "");
    files.emplace_back(is_named ? argument.substr(sign + 1) : argument);
    if (files.back().empty() || (is_named && names.back().empty())) {
      return Fail(ErrorCode::kInvalidArgument,
                  Quoted(argument) +
                      " is not a model file; give FILE or VARIANT=FILE, for example int8=net.onnx");
    }
  }
  NamedFiles named = NameFiles(files);
  std::set<std::string> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) named.variants[i].name = names[i];
    if (!taken.insert(named.variants[i].name).second) {
      return Fail(ErrorCode::kInvalidArgument, "two variants are called " +
                                                   Quoted(named.variants[i].name) +
                                                   "; give one another name with VARIANT=FILE");
    }
  }
  return named;
}

}  // namespace cboard::benchmark
