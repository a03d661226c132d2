// The C interface: scans of many programs into a dataset, and the rows of one program.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halo/api/scan/list_programs.h"
#include "halo/api/scan/program_rows.h"
#include "halo/api/scan/scan_document.h"
#include "halo/base/json/json_reader.h"
#include "halo/public/c_arrow.h"
#include "halo/public/c_document.h"
#include "haloscope/c.h"

struct halo_rows {
  halo::ScanRows rows;
  std::string refused;
};

namespace {

// False if the text is not an object of known keys.
bool ReadScanRequest(const char* text, halo::ScanRequest& request,
                     std::vector<std::string>& paths) {
  const std::optional<halo::JsonValue> json = halo::ParseJson(text);
  if (!json || !json->is_object()) return false;
  for (const std::string& key : json->keys) {
    const halo::JsonValue& value = (*json)[key];
    if (key == "paths") {
      for (const halo::JsonValue& each : value.items) paths.emplace_back(each.AsString());
    } else if (key == "to") {
      request.to.folder = value.AsString();
    } else if (key == "partition") {
      request.to.partition = value.AsString();
    } else if (key == "shard") {
      request.to.shard = value.AsInt(0);
    } else if (key == "shards") {
      request.to.shards = value.AsInt(0);
    } else if (key == "divide") {
      request.divide = value.AsBool(false);
    } else if (key == "device") {
      request.device = value.AsString();
    } else if (key == "threads") {
      request.threads = static_cast<int>(value.AsInt(1));
    } else {
      return false;
    }
  }
  return !request.to.folder.empty() && request.to.shard >= 1 &&
         request.to.shard <= request.to.shards;
}

template <class Body>
halo_status Guarded(const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return HALO_OUT_OF_MEMORY;
  } catch (const std::exception&) {
    return HALO_INTERNAL_ERROR;
  }
}

const char* FormatOf(halo::ColumnType type) {
  switch (type) {
    case halo::ColumnType::kInt: return "l";
    case halo::ColumnType::kReal: return "g";
    case halo::ColumnType::kBool: return "b";
    case halo::ColumnType::kText: return "u";
    case halo::ColumnType::kTime: return "tsu:";
  }
  return "l";
}

void SetBit(size_t at, std::vector<uint8_t>& bits) {
  bits[at / 8] = static_cast<uint8_t>(bits[at / 8] | 1U << (at % 8));
}

// False if the texts are larger than a utf8 column can address.
bool FillArrow(const halo::ColumnBuffer& column, halo::OwnedArrow& owned) {
  const size_t rows = column.rows();
  if (column.has_holes()) {
    owned.validity.assign(rows / 8 + 1, 0);
    for (size_t row = 0; row < rows; ++row) {
      if (column.exists(row)) SetBit(row, owned.validity);
      if (!column.exists(row)) ++owned.holes;
    }
  }
  if (column.type() == halo::ColumnType::kText) {
    owned.offsets.push_back(0);
    for (size_t row = 0; row < rows; ++row) {
      if (column.exists(row)) owned.bytes += column.text(column.bits(row));
      if (owned.bytes.size() > INT32_MAX) return false;
      owned.offsets.push_back(static_cast<int32_t>(owned.bytes.size()));
    }
    owned.buffers[1] = owned.offsets.data();
    owned.buffers[2] = owned.bytes.data();
  } else if (column.type() == halo::ColumnType::kBool) {
    owned.bits.assign(rows / 8 + 1, 0);
    for (size_t row = 0; row < rows; ++row) {
      if (column.bits(row) != 0) SetBit(row, owned.bits);
    }
    owned.buffers[1] = owned.bits.data();
  } else {
    for (size_t row = 0; row < rows; ++row) {
      owned.numbers.push_back(static_cast<int64_t>(column.bits(row)));
    }
    owned.buffers[1] = owned.numbers.data();
  }
  return true;
}

}  // namespace

halo_status halo_scan(const char* request, halo_result** result) {
  if (request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return Guarded([&] {
    halo::ScanRequest wanted;
    wanted.divide = false;
    std::vector<std::string> paths;
    if (!ReadScanRequest(request, wanted, paths)) return HALO_BAD_REQUEST;
    size_t next = 0;
    wanted.next_root = [&](std::string& root) {
      if (next == paths.size()) return false;
      root = paths[next++];
      return true;
    };
    const halo::ScanResult scanned = halo::Scan(wanted);
    auto made = std::make_unique<halo_result>();
    made->json = halo::ScanJson(scanned, wanted.to.folder);
    *result = made.release();
    return scanned.succeeded ? HALO_OK : HALO_UNREADABLE;
  });
}

halo_status halo_scan_rows(const char* path, const char* device, halo_rows** rows) {
  if (path == nullptr || device == nullptr || rows == nullptr) return HALO_BAD_ARGUMENT;
  *rows = nullptr;
  return Guarded([&] {
    halo::DescribeOptions how;
    how.device = device;
    auto made = std::make_unique<halo_rows>();
    const halo::DescribedProgram described = halo::DescribeProgram(halo::FileOfProgram(path), how);
    made->refused = described.refused;
    made->rows = described.rows.empty() ? halo::EmptyScanRows() : described.rows;
    halo::AddFileRow(described, described.refused.empty(), how.shard,
                     halo::RowsOf(made->rows, halo::ScanTable::kFiles));
    *rows = made.release();
    return HALO_OK;
  });
}

const char* halo_rows_refused(const halo_rows* rows) {
  return rows == nullptr ? "" : rows->refused.c_str();
}

halo_status halo_rows_stream(const halo_rows* rows, const char* table, ArrowArrayStream* stream) {
  if (rows == nullptr || table == nullptr || stream == nullptr) return HALO_BAD_ARGUMENT;
  *stream = {};
  return Guarded([&] {
    const std::optional<halo::ScanTable> wanted = halo::ScanTableFromText(table);
    if (!wanted) return HALO_BAD_ARGUMENT;
    const halo::RowTable& from = halo::RowsOf(rows->rows, *wanted);
    const std::span<const halo::ColumnSpec> columns = halo::ColumnsOf(*wanted);
    std::vector<std::unique_ptr<halo::OwnedArrow>> filled;
    for (const halo::ColumnBuffer& column : from.columns()) {
      filled.push_back(std::make_unique<halo::OwnedArrow>());
      if (!FillArrow(column, *filled.back())) return HALO_OUT_OF_MEMORY;
    }
    std::vector<ArrowSchema> schemas;
    auto parent = std::make_unique<halo::OwnedArrow>();
    for (size_t i = 0; i < columns.size(); ++i) {
      const halo::ColumnSpec& column = columns[i];
      schemas.push_back(
          halo::MakeArrowSchema(FormatOf(column.type), column.name, column.is_optional, {}));
      parent->children.push_back(halo::MakeArrowArray(
          std::move(filled[i]), from.rows(), column.type == halo::ColumnType::kText ? 3 : 2));
    }
    *stream = halo::MakeArrowStream(halo::MakeArrowSchema("+s", table, false, std::move(schemas)),
                                    halo::MakeArrowArray(std::move(parent), from.rows(), 1));
    return HALO_OK;
  });
}

void halo_rows_free(halo_rows* rows) { delete rows; }
