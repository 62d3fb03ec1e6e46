#include "cboard/server/http_message.h"

#include <algorithm>

#include "cboard/base/json_writer.h"
#include "server/http/content_coding.h"

namespace cboard::server {

std::string_view HttpRequest::Header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const auto& header) { return EqualIgnoringCase(header.first, name); });
  return found == headers.end() ? std::string_view() : found->second;
}

HttpResponse JsonResponse(std::string json) {
  return {.status = 200, .content_type = "application/json", .body = std::move(json)};
}

HttpResponse BlobResponse(std::string content_type, std::string bytes) {
  HttpResponse response{.content_type = std::move(content_type), .body = std::move(bytes)};
  response.untrusted = true;
  return response;
}

HttpResponse BlobResponse(std::string content_type, FileSlice slice) {
  HttpResponse response{.content_type = std::move(content_type)};
  response.file = std::move(slice);
  response.untrusted = true;
  return response;
}

HttpResponse ErrorResponse(int status, std::string_view code, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Key("error").BeginObject();
  json.Key("code").Value(code).Key("message").Value(message);
  json.EndObject().EndObject();
  HttpResponse response = JsonResponse(json.Take());
  response.status = status;
  response.headers.emplace_back("Cache-Control", "no-store");
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

}  // namespace cboard::server
