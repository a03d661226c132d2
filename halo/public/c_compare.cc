// The C interface: requests about time, which need a device, about the difference of two documents,
// snapshots, and whole folders.
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/describe/read_json.h"
#include "halo/public/c_document.h"
#include "haloscope/c.h"
#include "haloscope/diff.h"
#include "haloscope/ranks.h"
#include "haloscope/recompiles.h"
#include "haloscope/snapshot.h"
#include "haloscope/time.h"

namespace {

constexpr size_t kTimeRows = 10;
constexpr size_t kDiffCauses = 12;

// False, with the reason, if the text is not a request of this kind. The request's rows, `top`, are
// not part of what is asked.
template <class Request>
bool ReadText(const char* text, Request& request, size_t& top, std::string& why) {
  constexpr std::array<std::string_view, 1> kOthers = {"top"};
  const std::optional<halo::JsonValue> json = halo::ParseJson(text);
  if (!json) {
    why = "the request is not a JSON object";
    return false;
  }
  why = halo::describe::ReadRequest(*json, kOthers, request);
  const auto rows = static_cast<int64_t>(top);
  if (why.empty()) top = static_cast<size_t>(std::max<int64_t>(1, (*json)["top"].AsInt(rows)));
  return why.empty();
}

std::string FirstError(const std::vector<halo::v0::Diagnostic>& diagnostics,
                       const char* otherwise) {
  for (const halo::v0::Diagnostic& each : diagnostics) {
    if (each.severity == halo::v0::Severity::kError) return each.message;
  }
  return otherwise;
}

halo_status Finish(std::string json, halo_result** result) {
  auto made = std::make_unique<halo_result>();
  made->json = std::move(json);
  *result = made.release();
  return HALO_OK;
}

// A request about a folder, which no document belongs to: compare(request) has the result.
template <class Compare>
halo_status AboutFolder(const char* path, const char* request, halo_result** result,
                        const Compare& compare) {
  if (path == nullptr || request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  try {
    const std::optional<halo::JsonValue> json = halo::ParseJson(request);
    halo::v0::FolderRequest read;
    if (!json || !halo::describe::ReadRequest(*json, {}, read).empty()) return HALO_BAD_REQUEST;
    const auto found = compare(read);
    const halo_status made = Finish(found.ToJson(), result);
    return found.succeeded ? made : HALO_UNREADABLE;
  } catch (const std::bad_alloc&) {
    return HALO_OUT_OF_MEMORY;
  } catch (const std::exception&) {
    return HALO_INTERNAL_ERROR;
  }
}

}  // namespace

halo_status halo_time(halo_document* document, const char* request, halo_result** result) {
  if (request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return halo::CallOn(document, [&](halo_document& self) {
    halo::v0::TimeRequest read;
    size_t top = kTimeRows;
    std::string why;
    if (!ReadText(request, read, top, why)) {
      return halo::FailWith(HALO_BAD_REQUEST, std::move(why), self);
    }
    const halo::v0::TimeResult time = halo::v0::Time(self.first, read);
    if (!time.succeeded) {
      return halo::FailWith(HALO_BAD_REQUEST,
                            FirstError(time.diagnostics, "the time cannot be analyzed"), self);
    }
    return Finish(time.ToJson(top), result);
  });
}

halo_status halo_diff(halo_document* before, halo_document* after, const char* request,
                      halo_result** result) {
  if (after == nullptr || request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  halo::v0::Document other;
  const halo_status copied = halo::CopyOf(after, other);
  if (copied != HALO_OK) return copied;
  return halo::CallOn(before, [&](halo_document& self) {
    halo::v0::DiffRequest read;
    size_t top = kDiffCauses;
    std::string why;
    if (!ReadText(request, read, top, why)) {
      return halo::FailWith(HALO_BAD_REQUEST, std::move(why), self);
    }
    const halo::v0::DiffResult diff = halo::v0::Diff(self.first, other, read);
    if (!diff.ok) return halo::FailWith(HALO_BAD_REQUEST, diff.refused, self);
    return Finish(diff.ToJson(top), result);
  });
}

halo_status halo_snapshot(halo_document* document, const char* request, halo_result** result) {
  if (request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return halo::CallOn(document, [&](halo_document& self) {
    halo::v0::SnapshotRequest read;
    size_t top = 0;
    std::string why;
    if (!ReadText(request, read, top, why)) {
      return halo::FailWith(HALO_BAD_REQUEST, std::move(why), self);
    }
    const halo::v0::SnapshotResult snapshot =
        halo::v0::Snapshot(self.first, read, halo::v0::OpenRelated(self.first));
    if (!snapshot.succeeded) {
      return halo::FailWith(HALO_BAD_REQUEST,
                            FirstError(snapshot.diagnostics, "the program cannot be read"), self);
    }
    return Finish(snapshot.ToJson(), result);
  });
}

halo_status halo_ranks(const char* path, const char* request, halo_result** result) {
  return AboutFolder(path, request, result, [&](const halo::v0::FolderRequest& read) {
    return halo::v0::Ranks(path, read);
  });
}

halo_status halo_recompiles(const char* path, const char* request, halo_result** result) {
  return AboutFolder(path, request, result, [&](const halo::v0::FolderRequest& read) {
    return halo::v0::Recompiles(path, read);
  });
}
