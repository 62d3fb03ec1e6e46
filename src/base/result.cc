#include "cboard/base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "cboard/base/check.h"

namespace cboard {

std::string_view NameOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kPermissionDenied:
      return "permission_denied";
    case ErrorCode::kResourceExhausted:
      return "resource_exhausted";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTruncated:
      return "truncated";
    case ErrorCode::kDataLoss:
      return "data_loss";
    case ErrorCode::kFailedPrecondition:
      return "failed_precondition";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

namespace {

ErrorCode CodeOf(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::kResourceExhausted;
    case EINVAL:
    case ENAMETOOLONG:
    case EISDIR:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kUnavailable;
  }
}

}  // namespace

Error ErrnoError(int errno_value, std::string_view what) {
  return {CodeOf(errno_value),
          "cannot " + std::string(what) + ": " + std::generic_category().message(errno_value)};
}

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace cboard
