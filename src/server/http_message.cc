#include "cboard/server/http_message.h"

#include "cboard/base/json_writer.h"

namespace cboard {

HttpResponse JsonResponse(std::string json) {
  return {.status = 200,
          .content_type = "application/json",
          .body = std::move(json),
          .headers = {{"Cache-Control", "no-store"}}};
}

HttpResponse ErrorResponse(int status, std::string_view code, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Key("error").BeginObject();
  json.Key("code").Value(code).Key("message").Value(message);
  json.EndObject().EndObject();
  HttpResponse response = JsonResponse(json.Take());
  response.status = status;
  return response;
}

HttpResponse ErrorResponse(const Error& error) {
  return ErrorResponse(StatusOf(error.code), NameOf(error.code), error.message);
}

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kFailedPrecondition:
      return 409;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTruncated:
      return 503;
    case ErrorCode::kDataLoss:
    case ErrorCode::kInternal:
      return 500;
  }
  return 500;
}

}  // namespace cboard
