// The C interface: requests about time, which need a device, about the difference of two documents,
// snapshots, and whole folders.
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/base/json/json_reader.h"
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

// False, with the reason, if the request is malformed or contains an unknown key.
bool ReadTimeRequest(const char* text, halo::v0::TimeRequest& request, size_t& top,
                     std::string& why) {
  const std::optional<halo::JsonValue> json = halo::ParseJson(text);
  if (!json || !json->is_object()) {
    why = "the request is not a JSON object";
    return false;
  }
  for (const std::string& key : json->keys) {
    const halo::JsonValue& value = (*json)[key];
    if (key == "device") {
      request.device = value.AsString();
    } else if (key == "device_json") {
      request.device_json = value.AsString();
    } else if (key == "backend") {
      request.backend = value.AsString();
    } else if (key == "top") {
      top = static_cast<size_t>(std::max<int64_t>(1, value.AsInt(kTimeRows)));
    } else if (key == "advice") {
      request.advise = value.AsBool(true);
    } else if (key == "profiles") {
      for (const halo::JsonValue& each : value.items)
        request.profiles.emplace_back(each.AsString());
    } else if (key == "profile_step") {
      request.profile_step = static_cast<size_t>(std::max<int64_t>(0, value.AsInt(0)));
    } else if (key == "calibration") {
      request.calibration = value.AsString();
    } else if (key == "links") {
      request.links = value.AsDouble(0);
    } else if (key == "network") {
      request.network = value.AsDouble(0);
    } else if (key == "nodes") {
      request.nodes = value.AsInt(0);
    } else if (key == "data_parallel") {
      request.copies = value.AsInt(0);
    } else if (key == "autotune_results") {
      request.autotune_results = value.AsString();
    } else if (key == "target_config") {
      request.target_config = value.AsString();
    } else {
      why = "the request holds an unknown key: " + key;
      return false;
    }
  }
  return true;
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

// A request about a folder, which no document belongs to: compare(follow) has the result.
template <class Compare>
halo_status AboutFolder(const char* path, const char* request, halo_result** result,
                        const Compare& compare) {
  if (path == nullptr || request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  try {
    const std::optional<halo::JsonValue> json = halo::ParseJson(request);
    if (!json || !json->is_object()) return HALO_BAD_REQUEST;
    const auto found = compare((*json)["follow"].AsBool(false));
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
    if (!ReadTimeRequest(request, read, top, why)) {
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
    const std::optional<halo::JsonValue> json = halo::ParseJson(request);
    if (!json || !json->is_object()) {
      return halo::FailWith(HALO_BAD_REQUEST, "the request is not a JSON object", self);
    }
    halo::v0::DiffRequest read;
    read.top = static_cast<size_t>(std::max<int64_t>(0, (*json)["top"].AsInt(kDiffCauses)));
    read.device = (*json)["device"].AsString();
    const halo::v0::DiffResult diff = halo::v0::Diff(self.first, other, read);
    if (!diff.succeeded) return halo::FailWith(HALO_BAD_REQUEST, diff.refused, self);
    return Finish(diff.ToJson(), result);
  });
}

halo_status halo_snapshot(halo_document* document, const char* request, halo_result** result) {
  if (request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return halo::CallOn(document, [&](halo_document& self) {
    const std::optional<halo::JsonValue> json = halo::ParseJson(request);
    if (!json || !json->is_object()) {
      return halo::FailWith(HALO_BAD_REQUEST, "the request is not a JSON object", self);
    }
    halo::v0::SnapshotRequest read;
    read.related = halo::v0::OpenRelated(self.first);
    read.device = (*json)["device"].AsString();
    const halo::v0::SnapshotResult snapshot = halo::v0::Snapshot(self.first, read);
    if (!snapshot.succeeded) {
      return halo::FailWith(HALO_BAD_REQUEST,
                            FirstError(snapshot.diagnostics, "the program cannot be read"), self);
    }
    return Finish(snapshot.ToJson(), result);
  });
}

halo_status halo_ranks(const char* path, const char* request, halo_result** result) {
  return AboutFolder(path, request, result,
                     [&](bool follow) { return halo::v0::Ranks(path, {.follow = follow}); });
}

halo_status halo_recompiles(const char* path, const char* request, halo_result** result) {
  return AboutFolder(path, request, result,
                     [&](bool follow) { return halo::v0::Recompiles(path, {.follow = follow}); });
}
