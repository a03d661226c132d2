// A stream hands its table over at the first get_next, and keeps the schema, for which it may be
// asked again.
#include "halo/public/c_arrow.h"

#include <cerrno>
#include <new>
#include <utility>

namespace halo {
namespace {

struct OwnedSchema {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
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

struct OwnedStream {
  ArrowSchema schema{};
  ArrowArray array{};
};

OwnedStream& StreamOf(ArrowArrayStream* stream) {
  return *static_cast<OwnedStream*>(stream->private_data);
}

ArrowSchema CopyOf(const ArrowSchema& from) {
  std::vector<ArrowSchema> children;
  for (int64_t i = 0; i < from.n_children; ++i) children.push_back(CopyOf(*from.children[i]));
  return MakeArrowSchema(from.format, from.name, (from.flags & ARROW_FLAG_NULLABLE) != 0,
                         std::move(children));
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

ArrowSchema MakeArrowSchema(const char* format, std::string_view name, bool is_optional,
                            std::vector<ArrowSchema> children) {
  auto owned = std::make_unique<OwnedSchema>();
  owned->name = name;
  owned->children = std::move(children);
  for (ArrowSchema& child : owned->children) owned->pointers.push_back(&child);
  ArrowSchema schema{};
  schema.format = format;
  schema.name = owned->name.c_str();
  schema.flags = is_optional ? ARROW_FLAG_NULLABLE : 0;
  schema.n_children = static_cast<int64_t>(owned->pointers.size());
  schema.children = owned->pointers.data();
  schema.release = Release<ArrowSchema, OwnedSchema>;
  schema.private_data = owned.release();
  return schema;
}

ArrowArray MakeArrowArray(std::unique_ptr<OwnedArrow> owned, size_t length, int64_t buffers) {
  for (ArrowArray& child : owned->children) owned->pointers.push_back(&child);
  if (!owned->validity.empty()) owned->buffers[0] = owned->validity.data();
  ArrowArray array{};
  array.length = static_cast<int64_t>(length);
  array.null_count = owned->holes;
  array.n_buffers = buffers;
  array.buffers = owned->buffers.data();
  array.n_children = static_cast<int64_t>(owned->pointers.size());
  array.children = owned->pointers.data();
  array.release = Release<ArrowArray, OwnedArrow>;
  array.private_data = owned.release();
  return array;
}

ArrowArrayStream MakeArrowStream(ArrowSchema schema, ArrowArray array) {
  auto owned = std::make_unique<OwnedStream>();
  owned->schema = schema;
  owned->array = array;
  return {StreamSchema, StreamNext, StreamError, ReleaseStream, owned.release()};
}

}  // namespace halo
