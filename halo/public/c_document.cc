// The C interface: documents, requests in JSON, and results.
#include "halo/public/c_document.h"

#include <cstring>
#include <memory>
#include <utility>

#include "halo/base/json/json_reader.h"
#include "halo/dump/select.h"
#include "halo/public/document_state.h"
#include "halo/view/model/response.h"
#include "haloscope/version.h"

namespace {

using halo::CallOn;
using halo::FailWith;

// Why nothing in the file can be used; empty if something can.
std::string WhyUnreadable(const halo::Document& file) {
  if (!file.modules.empty() || file.memory) return {};
  halo::Document description = halo::DescriptionOf(file);
  halo::RequireContents(description);
  if (description.diagnostics.ok()) return {};
  return description.diagnostics.all().front().message;
}

// `open` yields the file as a halo::v0::Document.
template <class Open>
halo_status OpenDocument(halo_document** document, const Open& open) {
  *document = nullptr;
  try {
    auto made = std::make_unique<halo_document>();
    *document = made.get();
    const halo_status status = CallOn(made.get(), [&](halo_document& self) {
      self.first = open();
      self.number = self.host.Open(OpenedFile(self.first));
      std::string why = WhyUnreadable(*OpenedFile(self.first));
      return why.empty() ? HALO_OK : FailWith(HALO_UNREADABLE, std::move(why), self);
    });
    if (status == HALO_OK || status == HALO_UNREADABLE) {
      made.release();
    } else {
      *document = nullptr;
    }
    return status;
  } catch (const std::exception&) {
    *document = nullptr;
    return HALO_OUT_OF_MEMORY;
  }
}

template <class Open>
halo_status AddDocument(halo_document* document, const Open& open) {
  return CallOn(document, [&](halo_document& self) {
    const halo::v0::Document added = open();
    if (std::string why = WhyUnreadable(*OpenedFile(added)); !why.empty()) {
      return FailWith(HALO_UNREADABLE, std::move(why), self);
    }
    self.host.Pair(self.number, self.host.Open(OpenedFile(added)));
    return HALO_OK;
  });
}

// The choice of a program in a dump; false if the text is not an object of known keys.
bool ReadChoice(const char* text, halo::DumpChoice& choice, halo::DumpOptions& how) {
  const std::optional<halo::JsonValue> json = halo::ParseJson(text);
  if (!json || !json->is_object()) return false;
  for (const std::string& key : json->keys) {
    const halo::JsonValue& value = (*json)[key];
    if (key == "module") {
      choice.module = value.AsString();
    } else if (key == "stage") {
      choice.stage = value.AsString();
    } else if (key == "rank") {
      choice.rank = value.AsString();
    } else if (key == "follow") {
      how.walk.follow = value.AsBool(false);
    } else {
      return false;
    }
  }
  return true;
}

// The path of the chosen file; the reason in `why` if there is none.
std::string ChosenPath(const char* path, const char* choice, std::string& why) {
  halo::DumpChoice wanted;
  halo::DumpOptions how;
  if (!ReadChoice(choice, wanted, how)) {
    why = "the choice is not a JSON object of module, stage, rank and follow";
    return {};
  }
  const halo::Result<halo::Dump> dump = halo::IndexDump(path, how);
  if (!dump) {
    why = dump.error().message;
    return {};
  }
  const halo::Result<halo::Selection> selection = halo::SelectFromDump(*dump, wanted);
  if (!selection) {
    why = selection.error().message;
    return {};
  }
  if (selection->chosen.size() != 1) {
    why = "one program at a time: the choice is `all`";
    return {};
  }
  return dump->PathOf(selection->chosen.front().file);
}

std::string_view BytesOf(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

}  // namespace

const char* halo_version(void) { return HALOSCOPE_VERSION; }

const char* halo_status_text(halo_status status) {
  switch (status) {
    case HALO_OK: return "ok";
    case HALO_BAD_ARGUMENT: return "bad argument";
    case HALO_UNREADABLE: return "unreadable file";
    case HALO_BAD_REQUEST: return "bad request";
    case HALO_RUN_FAILED: return "run failed";
    case HALO_OUT_OF_MEMORY: return "out of memory";
    case HALO_INTERNAL_ERROR: return "internal error";
  }
  return "unknown status";
}

halo_status halo_open_path(const char* path, halo_document** document) {
  if (path == nullptr || document == nullptr) return HALO_BAD_ARGUMENT;
  return OpenDocument(document, [&] { return halo::v0::OpenPath(path); });
}

halo_status halo_open_bytes(const char* name, const void* data, size_t size,
                            halo_document** document) {
  if (name == nullptr || (data == nullptr && size != 0) || document == nullptr) {
    return HALO_BAD_ARGUMENT;
  }
  return OpenDocument(document, [&] { return halo::v0::OpenBytes(BytesOf(data, size), name); });
}

halo_status halo_open_dump(const char* path, const char* choice, halo_document** document) {
  if (path == nullptr || choice == nullptr || document == nullptr) return HALO_BAD_ARGUMENT;
  std::string why;
  const halo_status status = OpenDocument(document, [&] {
    const std::string chosen = ChosenPath(path, choice, why);
    return why.empty() ? halo::v0::OpenPath(chosen) : halo::v0::Document();
  });
  if (!why.empty() && *document != nullptr) (*document)->error = std::move(why);
  return status;
}

halo_status halo_add_related(halo_document* document) {
  return CallOn(document, [](halo_document& self) {
    if (self.has_related) return HALO_OK;
    self.has_related = true;
    for (const halo::v0::Document& each : halo::v0::OpenRelated(self.first)) {
      self.host.Pair(self.number, self.host.Open(OpenedFile(each)));
    }
    return HALO_OK;
  });
}

const char* halo_path(const halo_document* document) {
  return document == nullptr ? "" : document->first.path().c_str();
}

halo_status halo_add_path(halo_document* document, const char* path) {
  if (path == nullptr) return HALO_BAD_ARGUMENT;
  return AddDocument(document, [&] { return halo::v0::OpenPath(path); });
}

halo_status halo_add_bytes(halo_document* document, const char* name, const void* data,
                           size_t size) {
  if (name == nullptr || (data == nullptr && size != 0)) return HALO_BAD_ARGUMENT;
  return AddDocument(document, [&] { return halo::v0::OpenBytes(BytesOf(data, size), name); });
}

void halo_close(halo_document* document) { delete document; }

const char* halo_error(const halo_document* document) {
  return document == nullptr ? "" : document->error.c_str();
}

halo_status halo_ask(halo_document* document, const char* request, halo_result** result) {
  if (request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return CallOn(document, [&](halo_document& self) {
    auto made = std::make_unique<halo_result>();
    const std::string block = self.host.Ask(self.number, request);
    made->json = halo::view::PlainJson(block);
    // A failed result is short: it contains only the reason.
    constexpr size_t kFailure = 40;
    if (std::string_view(made->json).substr(0, kFailure).find("\"ok\": false") !=
        std::string_view::npos) {
      const auto failure = halo::ParseJson(made->json).value_or(halo::JsonValue());
      return FailWith(HALO_BAD_REQUEST, std::string(failure["error"].AsString()), self);
    }
    *result = made.release();
    return HALO_OK;
  });
}

const char* halo_result_json(const halo_result* result, size_t* size) {
  if (size != nullptr) *size = result == nullptr ? 0 : result->json.size();
  return result == nullptr ? "" : result->json.c_str();
}

size_t halo_result_array_count(const halo_result* result) {
  return result == nullptr ? 0 : result->arrays.size();
}

halo_status halo_result_array(const halo_result* result, size_t index, halo_array* array) {
  if (result == nullptr || array == nullptr || index >= result->arrays.size()) {
    return HALO_BAD_ARGUMENT;
  }
  const halo::v0::Array& from = result->arrays[index];
  *array = {from.name.c_str(), from.type.c_str(), from.dims.size(),
            from.dims.data(),  from.data.get(),   from.bytes};
  return HALO_OK;
}

void halo_result_free(halo_result* result) { delete result; }
