// The request and the result of `halo shrink` as users see them, and the small module as text in
// the style it was read in.
#ifndef HALO_API_SHRINK_SHRINK_DOCUMENT_H_
#define HALO_API_SHRINK_SHRINK_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/base/diagnostics/result.h"
#include "halo/shrink/shrink.h"
#include "haloscope/parts.h"

namespace halo {

namespace documents {

struct ShrinkRequest {
  std::optional<int64_t> to;
  std::vector<std::string> dim;
  std::optional<int64_t> devices;
  int64_t smallest = 2;
  std::vector<std::string> constant;
};

template <class V>
void Fields(V& v, ShrinkRequest& r) {
  v.Group("Size");
  v("to", r.to, "Memory that one device may need, such as 64MB; chooses the largest sizes that fit",
    v0::Unit::kBytes);
  v("dim", r.dim, "OLD=NEW: change every dimension of size OLD to NEW");
  v("devices", r.devices, "Number of devices of the small module", v0::Between{0, 1e15});
  v("smallest", r.smallest, "Lower bound for every dimension", v0::Between{1, 1e15});
  v("constant", r.constant, "NAME=1,2,3: elements of a constant that the dump elides as {...}");
}

struct ShrunkNumber {
  int64_t before = 0, after = 0;
};

template <class V>
void Fields(V& v, ShrunkNumber& r) {
  v("before", r.before, "of the module that was read");
  v("after", r.after, "of the small module");
}

struct ShrunkDimension {
  int64_t size = 0, new_size = 0;
  std::string meaning;
  int64_t uses = 0;
  std::string example;
  bool device_axis = false;
  std::optional<std::string> stays_because, stays_for;
};

template <class V>
void Fields(V& v, ShrunkDimension& r) {
  v("size", r.size, "undivided");
  v("new_size", r.new_size, "");
  v("meaning", r.meaning, "a guess; empty if nothing suggests one");
  v("uses", r.uses, "dimensions that it is a factor of");
  v("example", r.example, "one of them: `param.3[2]`");
  v("device_axis", r.device_axis, "it is an axis of the devices");
  v("stays_because", r.stays_because, "why it cannot change", v0::When{"if it cannot change"});
  v("stays_for", r.stays_for, "the instruction; may be empty", v0::When{"if it cannot change"});
}

struct ShrunkConstant {
  std::string name;
  int64_t before = 0, after = 0;
  std::string because;
};

template <class V>
void Fields(V& v, ShrunkConstant& r) {
  v("name", r.name, "a constant that is a size");
  v("before", r.before, "");
  v("after", r.after, "");
  v("because", r.because, "why it is a size");
}

struct ElidedConstant {
  std::string name, how;
  std::vector<int64_t> values;
};

template <class V>
void Fields(V& v, ElidedConstant& r) {
  v("name", r.name, "printed as `{...}`");
  v("how", r.how, "how its contents are known");
  v("values", r.values, "");
}

struct ShrinkResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.shrink.v1";

  bool ok = false;
  std::string refused;
  ShrunkNumber devices, bytes_per_device;
  std::vector<ShrunkDimension> dimensions;
  std::vector<ElidedConstant> recovered_constants;
  std::vector<ShrunkConstant> changed_constants;
};

template <class V>
void Fields(V& v, ShrinkResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("ok", r.ok, "there is a small module");
  v("refused", r.refused, "why there is none", v0::FieldFlag::kIfAny);
  v("devices", r.devices, "how many");
  v("bytes_per_device", r.bytes_per_device, "peak memory", v0::Unit::kBytes);
  v("dimensions", r.dimensions, "sizes of the program");
  v("recovered_constants", r.recovered_constants, "whose contents the dump lacks");
  v("changed_constants", r.changed_constants, "that follow the sizes");
}

}  // namespace documents

// An error if a value cannot be used.
Result<ShrinkOptions> RequestOf(const documents::ShrinkRequest& asked);

documents::ShrinkResult ShrinkDocument(const Document& document, const ShrinkResult& result);
std::string ShrinkJson(const Document& document, const ShrinkResult& result);

// The module of a successful shrink.
std::string ShrunkText(const ShrinkResult& result);

}  // namespace halo

#endif  // HALO_API_SHRINK_SHRINK_DOCUMENT_H_
