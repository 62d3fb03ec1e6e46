#include "cboard/runtime/samples.h"

#include <string>
#include <system_error>
#include <utility>

#include "cboard/base/strings.h"
#include "runtime/sample_sources.h"

namespace cboard::runtime {

std::string DescribeUsed(std::string name, std::size_t used, std::size_t count) {
  if (used == count) return name;
  return std::move(name) + ", the first " + HumanCount(used) + " of " + HumanCount(count);
}

Result<std::unique_ptr<SampleSource>> OpenSamples(const std::filesystem::path& data,
                                                  std::span<const ModelValue> inputs,
                                                  const SampleOptions& options) {
  for (const ModelValue& input : inputs) {
    if (input.dtype) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "input " + Quoted(input.name) + " of the model is " + input.type +
                    ", but only inputs that are tensors of numbers are supported");
  }
  if (options.max_samples == 0 || options.batch_size < 1 || options.open_dimension < 1) {
    return Fail(ErrorCode::kInvalidArgument,
                "the number of samples, the batch size and the open sizes must be 1 or more");
  }
  if (data.empty()) return GenerateSamples(inputs, options);
  std::error_code error;
  if (std::filesystem::is_directory(data, error)) return OpenImageSamples(data, inputs, options);
  return OpenArraySamples(data, inputs, options);
}

}  // namespace cboard::runtime
