// The C interface: tables as struct arrays of the Arrow C data interface.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "halo/base/strings/utf8.h"
#include "halo/public/c_arrow.h"
#include "halo/public/c_document.h"
#include "halo/view/ask/table.h"
#include "haloscope/c.h"

namespace {

// False if the texts are larger than a utf8 column can address.
bool FillColumn(const halo::view::Column& column, const std::vector<uint32_t>& rows,
                halo::OwnedArrow& owned) {
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
  std::vector<std::unique_ptr<halo::OwnedArrow>> filled;
  for (const halo::view::Column& column : table.columns) {
    filled.push_back(std::make_unique<halo::OwnedArrow>());
    if (FillColumn(column, table.rows, *filled.back())) continue;
    return halo::FailWith(HALO_BAD_REQUEST, "the texts of a column take more than 2 GiB", self);
  }
  std::vector<ArrowSchema> schemas;
  auto parent = std::make_unique<halo::OwnedArrow>();
  for (size_t i = 0; i < filled.size(); ++i) {
    const halo::view::Column& column = table.columns[i];
    schemas.push_back(halo::MakeArrowSchema(column.number ? "l" : "u", column.name, false, {}));
    parent->children.push_back(
        halo::MakeArrowArray(std::move(filled[i]), table.rows.size(), column.number ? 2 : 3));
  }
  schema = halo::MakeArrowSchema("+s", name, false, std::move(schemas));
  array = halo::MakeArrowArray(std::move(parent), table.rows.size(), 1);
  return HALO_OK;
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
    ArrowSchema schema{};
    ArrowArray array{};
    const halo_status status = MakeTable(name, self, schema, array);
    if (status == HALO_OK) *stream = halo::MakeArrowStream(schema, array);
    return status;
  });
}
