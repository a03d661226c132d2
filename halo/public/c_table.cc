// The C interface: tables as struct arrays of the Arrow C data interface. Each column owns its
// buffers, because a consumer may move a child out of its parent and release it by itself.
#include <array>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "halo/base/strings/utf8.h"
#include "halo/public/c_document.h"
#include "halo/view/ask/table.h"
#include "haloscope/c.h"

namespace {

struct OwnedSchema {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

struct OwnedArray {
  std::vector<int64_t> numbers;
  std::vector<int32_t> offsets;
  std::string bytes;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

// Children that were moved out no longer have a release function.
template <class Arrow, class Owned>
void Release(Arrow* released) {
  const std::unique_ptr<Owned> owned(static_cast<Owned*>(released->private_data));
  for (Arrow& child : owned->children) {
    if (child.release != nullptr) child.release(&child);
  }
  released->release = nullptr;
}

ArrowSchema MakeSchema(const char* format, std::string_view name,
                       std::vector<ArrowSchema> children) {
  auto owned = std::make_unique<OwnedSchema>();
  owned->name = name;
  owned->children = std::move(children);
  for (ArrowSchema& child : owned->children) owned->pointers.push_back(&child);
  ArrowSchema schema{};
  schema.format = format;
  schema.name = owned->name.c_str();
  schema.n_children = static_cast<int64_t>(owned->pointers.size());
  schema.children = owned->pointers.data();
  schema.release = Release<ArrowSchema, OwnedSchema>;
  schema.private_data = owned.release();
  return schema;
}

ArrowArray MakeArrow(std::unique_ptr<OwnedArray> owned, size_t length, int64_t buffers) {
  for (ArrowArray& child : owned->children) owned->pointers.push_back(&child);
  ArrowArray array{};
  array.length = static_cast<int64_t>(length);
  array.n_buffers = buffers;
  array.buffers = owned->buffers.data();
  array.n_children = static_cast<int64_t>(owned->pointers.size());
  array.children = owned->pointers.data();
  array.release = Release<ArrowArray, OwnedArray>;
  array.private_data = owned.release();
  return array;
}

// False if the texts are larger than a utf8 column can address.
bool FillColumn(const halo::view::Column& column, const std::vector<uint32_t>& rows,
                OwnedArray& owned) {
  if (column.number) {
    for (const uint32_t row : rows) {
      owned.numbers.push_back(static_cast<int64_t>(column.number(row)));
    }
    owned.buffers[1] = owned.numbers.data();
    return true;
  }
  owned.offsets.push_back(0);
  std::string scratch;
  for (const uint32_t row : rows) {
    halo::AppendUtf8Text(column.text(row, scratch), owned.bytes);
    if (owned.bytes.size() > INT32_MAX) return false;
    owned.offsets.push_back(static_cast<int32_t>(owned.bytes.size()));
  }
  owned.buffers[1] = owned.offsets.data();
  owned.buffers[2] = owned.bytes.data();
  return true;
}

halo_status MakeTable(const char* name, halo_document& self, ArrowSchema& schema,
                      ArrowArray& array) {
  halo::view::View& view = *self.host.ViewOf(self.number);
  halo::view::Table table;
  std::string why;
  if (!halo::view::MakeTable(name, view, view.module(-1), {}, table, why)) {
    return halo::FailWith(HALO_BAD_REQUEST, why, self);
  }
  std::vector<std::unique_ptr<OwnedArray>> filled;
  for (const halo::view::Column& column : table.columns) {
    filled.push_back(std::make_unique<OwnedArray>());
    if (FillColumn(column, table.rows, *filled.back())) continue;
    return halo::FailWith(HALO_BAD_REQUEST, "the texts of a column take more than 2 GiB", self);
  }
  std::vector<ArrowSchema> schemas;
  auto parent = std::make_unique<OwnedArray>();
  for (size_t i = 0; i < filled.size(); ++i) {
    const halo::view::Column& column = table.columns[i];
    schemas.push_back(MakeSchema(column.number ? "l" : "u", column.name, {}));
    parent->children.push_back(
        MakeArrow(std::move(filled[i]), table.rows.size(), column.number ? 2 : 3));
  }
  schema = MakeSchema("+s", name, std::move(schemas));
  array = MakeArrow(std::move(parent), table.rows.size(), 1);
  return HALO_OK;
}

// A stream of one array: the table is handed over by the first get_next.
struct OwnedStream {
  ArrowSchema schema{};
  ArrowArray array{};
};

OwnedStream& StreamOf(ArrowArrayStream* stream) {
  return *static_cast<OwnedStream*>(stream->private_data);
}

// Copies a schema that stays with the stream, which may be asked for it again.
ArrowSchema CopyOf(const ArrowSchema& from) {
  std::vector<ArrowSchema> children;
  for (int64_t i = 0; i < from.n_children; ++i) children.push_back(CopyOf(*from.children[i]));
  return MakeSchema(from.format, from.name, std::move(children));
}

int StreamSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    *out = CopyOf(StreamOf(stream).schema);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int StreamNext(ArrowArrayStream* stream, ArrowArray* out) {
  *out = StreamOf(stream).array;
  StreamOf(stream).array = {};
  return 0;
}

const char* StreamError(ArrowArrayStream* /*stream*/) { return nullptr; }

void ReleaseStream(ArrowArrayStream* stream) {
  const std::unique_ptr<OwnedStream> owned(&StreamOf(stream));
  if (owned->schema.release != nullptr) owned->schema.release(&owned->schema);
  if (owned->array.release != nullptr) owned->array.release(&owned->array);
  stream->release = nullptr;
}

}  // namespace

halo_status halo_table(halo_document* document, const char* name, ArrowSchema* schema,
                       ArrowArray* array) {
  if (name == nullptr || schema == nullptr || array == nullptr) return HALO_BAD_ARGUMENT;
  *schema = {};
  *array = {};
  return halo::CallOn(document,
                      [&](halo_document& self) { return MakeTable(name, self, *schema, *array); });
}

halo_status halo_table_stream(halo_document* document, const char* name, ArrowArrayStream* stream) {
  if (name == nullptr || stream == nullptr) return HALO_BAD_ARGUMENT;
  *stream = {};
  return halo::CallOn(document, [&](halo_document& self) {
    auto owned = std::make_unique<OwnedStream>();
    const halo_status status = MakeTable(name, self, owned->schema, owned->array);
    if (status != HALO_OK) return status;
    *stream = {StreamSchema, StreamNext, StreamError, ReleaseStream, owned.release()};
    return HALO_OK;
  });
}
