#include "runtime/model_values.h"

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"

namespace cboard::runtime {
namespace {

using Library = std::shared_ptr<const OrtLibrary>;

template <typename GetCount, typename GetName, typename GetType>
Result<std::vector<ModelValue>> ReadValues(const Library& library, const ort::Session* session,
                                           GetCount get_count, GetName get_name, GetType get_type) {
  constexpr std::string_view kDoing = "list inputs and outputs";
  const ort::Api& api = library->api();
  std::size_t count = 0;
  CBOARD_RETURN_IF_ERROR(library->Check(api[get_count](session, &count), kDoing));
  std::vector<ModelValue> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    CBOARD_RETURN_IF_ERROR(
        library->Check(api[get_name](session, i, library->allocator(), &name), kDoing));
    values[i].name = name;
    CBOARD_RETURN_IF_ERROR(
        library->Check(api[ort::kAllocatorFree](library->allocator(), name), kDoing));
    OrtHandle<ort::TypeInfo> type(library, ort::kReleaseTypeInfo);
    CBOARD_RETURN_IF_ERROR(library->Check(api[get_type](session, i, type.out()), kDoing));
    const ort::TensorInfo* info = nullptr;
    CBOARD_RETURN_IF_ERROR(
        library->Check(api[ort::kCastTypeInfoToTensorInfo](type.get(), &info), kDoing));
    if (info == nullptr) {
      values[i].type = "not a tensor";
    } else {
      CBOARD_RETURN_IF_ERROR(ReadTensorInfo(library, info, values[i]));
    }
  }
  return values;
}

}  // namespace

Result<void> ReadTensorInfo(const Library& library, const ort::TensorInfo* info,
                            ModelValue& value) {
  constexpr std::string_view kDoing = "describe a tensor";
  const ort::Api& api = library->api();
  int element_type = 0;
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetTensorElementType](info, &element_type), kDoing));
  const DType dtype = proto::DTypeOfOnnx(element_type);
  if (IsPlain(dtype)) value.dtype = dtype;
  value.type = dtype == DType::kUnknown ? "element type " + std::to_string(element_type)
                                        : std::string(NameOf(dtype));
  std::size_t rank = 0;
  CBOARD_RETURN_IF_ERROR(library->Check(api[ort::kGetDimensionsCount](info, &rank), kDoing));
  value.shape.resize(rank);
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetDimensions](info, value.shape.data(), rank), kDoing));
  std::vector<const char*> names(rank);
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetSymbolicDimensions](info, names.data(), rank), kDoing));
  for (const char* name : names) value.dimension_names.emplace_back(name == nullptr ? "" : name);
  return {};
}

Result<std::vector<ModelValue>> InputsOf(const Library& library, const ort::Session* session) {
  return ReadValues(library, session, ort::kSessionGetInputCount, ort::kSessionGetInputName,
                    ort::kSessionGetInputTypeInfo);
}

Result<std::vector<ModelValue>> OutputsOf(const Library& library, const ort::Session* session) {
  return ReadValues(library, session, ort::kSessionGetOutputCount, ort::kSessionGetOutputName,
                    ort::kSessionGetOutputTypeInfo);
}

std::string ListOf(std::span<const ModelValue> values) {
  std::string text;
  for (const ModelValue& value : values) {
    text += (text.empty() ? "" : ", ") + Quoted(value.name) + " " + Describe(value);
  }
  return text.empty() ? "nothing" : text;
}

Result<void> CheckInput(const ModelValue& wanted, const TensorView& given) {
  ModelValue described{.type = std::string(NameOf(given.dtype)), .shape = given.shape};
  const auto mismatch = [&] {
    return Fail(ErrorCode::kInvalidArgument, "input " + Quoted(wanted.name) + " is " +
                                                 Describe(described) + ", but the model needs " +
                                                 Describe(wanted));
  };
  if (wanted.dtype != given.dtype) return mismatch();
  if (wanted.shape.empty()) return {};
  if (wanted.shape.size() != given.shape.size()) return mismatch();
  for (std::size_t i = 0; i < given.shape.size(); ++i) {
    if (wanted.shape[i] >= 0 && wanted.shape[i] != given.shape[i]) return mismatch();
  }
  return {};
}

std::string Describe(const ModelValue& value) {
  std::string text = value.type + " [";
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    if (i > 0) text += ", ";
    if (value.shape[i] >= 0) {
      text += std::to_string(value.shape[i]);
    } else {
      const bool named = i < value.dimension_names.size() && !value.dimension_names[i].empty();
      text += named ? ToValidUtf8(value.dimension_names[i]) : "?";
    }
  }
  return text + "]";
}

}  // namespace cboard::runtime
