// A table is a tree of pages. Its leaves hold records: the types of all fields, then their values.
// What does not fit into a leaf continues on a chain of overflow pages.
#include "halo/profile/sqlite/sqlite.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

namespace halo {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kFileHeader = 100;
constexpr size_t kLeafHeader = 8, kInteriorHeader = 12;
constexpr unsigned char kLeaf = 0x0D, kInterior = 0x05;

unsigned char ByteAt(std::string_view bytes, size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

uint64_t BigEndian(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | ByteAt(bytes, at + i);
  return value;
}

// Moves `at` behind the number; false at the end of the bytes.
bool ReadVarint(std::string_view bytes, size_t& at, uint64_t& value) {
  value = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return false;
    const unsigned char byte = ByteAt(bytes, at++);
    if (i == 8) {
      value = value << 8 | byte;
      return true;
    }
    value = value << 7 | (byte & 0x7FU);
    if ((byte & 0x80U) == 0) return true;
  }
  return true;
}

uint64_t LengthOf(uint64_t type) {
  constexpr std::array<uint64_t, 12> kLengths = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < kLengths.size() ? kLengths[type] : (type - 12) / 2;
}

SqliteValue ValueOf(uint64_t type, std::string_view field) {
  SqliteValue value;
  if (type == 0 || type == 10 || type == 11) return value;
  value.is_null = false;
  if (type == 7) {
    const auto number = std::bit_cast<double>(BigEndian(field, 0, 8));
    if (number > -9e18 && number < 9e18) value.number = static_cast<int64_t>(number);
  } else if (type < 8) {
    const auto shift = static_cast<unsigned>(64 - 8 * field.size());
    value.number = static_cast<int64_t>(BigEndian(field, 0, field.size()) << shift) >> shift;
  } else if (type == 9) {
    value.number = 1;
  } else if (type >= 12) {
    value.text = field;
  }
  return value;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Splits SQL into words, quoted names and single characters, without comments.
class SqlTokens {
 public:
  explicit SqlTokens(std::string_view sql) : sql_(sql) {}

  // Empty at the end.
  std::string_view Next() {
    SkipSpaceAndComments();
    if (at_ >= sql_.size()) return {};
    const size_t begin = at_;
    const char first = sql_[at_++];
    if (first == '"' || first == '`' || first == '\'' || first == '[') {
      const size_t end = std::min(sql_.find(first == '[' ? ']' : first, at_), sql_.size());
      const std::string_view name = sql_.substr(at_, end - at_);
      at_ = std::min(end + 1, sql_.size());
      return name.empty() ? sql_.substr(begin, at_ - begin) : name;
    }
    if (IsWord(first)) {
      while (at_ < sql_.size() && IsWord(sql_[at_])) ++at_;
    }
    return sql_.substr(begin, at_ - begin);
  }

 private:
  static bool IsWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  }
  void SkipTo(std::string_view end) {
    const size_t found = sql_.find(end, at_);
    at_ = found == std::string_view::npos ? sql_.size() : found + end.size();
  }
  void SkipSpaceAndComments() {
    while (at_ < sql_.size()) {
      if (std::isspace(static_cast<unsigned char>(sql_[at_])) != 0) {
        ++at_;
      } else if (sql_.substr(at_).starts_with("--")) {
        SkipTo("\n");
      } else if (sql_.substr(at_).starts_with("/*")) {
        at_ += 2;
        SkipTo("*/");
      } else {
        return;
      }
    }
  }

  std::string_view sql_;
  size_t at_ = 0;
};

bool IsTableConstraint(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWords = {"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK",
                                                      "FOREIGN"};
  return std::ranges::any_of(kWords, [&](auto each) { return EqualsIgnoringCase(word, each); });
}

}  // namespace

bool LooksLikeSqlite(std::string_view bytes) { return bytes.starts_with(kMagic); }

SqliteFile::SqliteFile(std::string_view bytes) : bytes_(bytes) {
  if (!LooksLikeSqlite(bytes) || bytes.size() < kFileHeader) {
    problem_ = "this is no SQLite database, or only its beginning";
    return;
  }
  page_size_ = BigEndian(bytes, 16, 2);
  if (page_size_ == 1) page_size_ = 65536;
  const size_t reserved = ByteAt(bytes, 20);
  if (page_size_ < 512 || !std::has_single_bit(page_size_) || page_size_ - reserved < 480) {
    problem_ = "the database has an impossible page size";
    return;
  }
  usable_ = page_size_ - reserved;
  if (const uint64_t encoding = BigEndian(bytes, 56, 4); encoding > 1) {
    problem_ = "the database has text in UTF-16, and only UTF-8 is read";
    return;
  }
  // sqlite_schema: type, name, table, root page, SQL.
  const Fields fields = {.places = {0, 1, -1, 2, 3}, .row_ids = {}, .wanted = 4};
  Walk(1, fields, [&](std::span<const SqliteValue> row) {
    if (row[0].text != "table" || row[2].number <= 0 || row[2].number > UINT32_MAX) return;
    tables_.push_back(
        {std::string(row[1].text), static_cast<uint32_t>(row[2].number), ColumnsOf(row[3].text)});
  });
}

bool SqliteFile::HasTable(std::string_view table) const {
  return std::ranges::any_of(tables_, [&](const Table& each) { return each.name == table; });
}

void SqliteFile::ForEachRow(std::string_view table, std::span<const std::string_view> wanted,
                            const OnRow& on_row) {
  const auto found = std::ranges::find(tables_, table, &Table::name);
  if (found == tables_.end()) return;
  Fields fields = {.places = {}, .row_ids = {}, .wanted = wanted.size()};
  for (const Column& column : found->columns) {
    const auto place = std::ranges::find_if(
        wanted, [&](std::string_view name) { return EqualsIgnoringCase(name, column.name); });
    fields.places.push_back(place == wanted.end() ? -1 : static_cast<int>(place - wanted.begin()));
    if (place != wanted.end() && column.is_row_id) {
      fields.row_ids.push_back(static_cast<size_t>(place - wanted.begin()));
    }
  }
  // What comes after the last wanted field is not decoded.
  while (!fields.places.empty() && fields.places.back() < 0) fields.places.pop_back();
  Walk(found->root, fields, on_row);
}

std::vector<SqliteFile::Column> SqliteFile::ColumnsOf(std::string_view sql) {
  std::vector<Column> columns;
  SqlTokens tokens(sql);
  std::string_view token = tokens.Next();
  while (!token.empty() && token != "(") token = tokens.Next();
  while (!token.empty()) {
    const std::string_view name = tokens.Next();
    if (name.empty() || IsTableConstraint(name)) break;
    Column column = {std::string(name), false};
    const std::string_view type = tokens.Next();
    int depth = 1;
    for (token = type; !token.empty(); token = tokens.Next()) {
      if (token == "(") ++depth;
      if (token == ")" && --depth == 0) return columns.push_back(std::move(column)), columns;
      if (token == "," && depth == 1) break;
      // Only this type makes the key another name of the row's id.
      if (EqualsIgnoringCase(token, "PRIMARY")) {
        column.is_row_id = EqualsIgnoringCase(type, "INTEGER");
      }
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

void SqliteFile::Damage(std::string_view what) {
  if (problem_.empty()) problem_ = "the database is damaged: " + std::string(what);
}

std::string_view SqliteFile::TakePage(uint32_t number) {
  if (number == 0 || number > bytes_.size() / page_size_ || taken_[number]) return {};
  taken_[number] = true;
  return bytes_.substr((number - 1) * page_size_, page_size_);
}

void SqliteFile::Walk(uint32_t root, const Fields& fields, const OnRow& on_row) {
  taken_.assign(bytes_.size() / page_size_ + 1, false);
  std::vector<uint32_t> pending = {root};
  while (!pending.empty()) {
    const uint32_t number = pending.back();
    pending.pop_back();
    const std::string_view page = TakePage(number);
    if (page.empty()) {
      Damage("a page is missing or used twice");
      continue;
    }
    const size_t header = number == 1 ? kFileHeader : 0;
    const unsigned char kind = ByteAt(page, header);
    if (kind == kLeaf) {
      if (!ReadLeaf(page, header, fields, on_row)) Damage("a page of rows");
      continue;
    }
    const size_t cells = BigEndian(page, header + 3, 2);
    if (kind != kInterior || header + kInteriorHeader + 2 * cells > usable_) {
      Damage("a page of a table");
      continue;
    }
    // The last one on top is read first, so that rows come in their order.
    pending.push_back(static_cast<uint32_t>(BigEndian(page, header + 8, 4)));
    for (size_t i = cells; i-- > 0;) {
      const size_t cell = BigEndian(page, header + kInteriorHeader + 2 * i, 2);
      if (cell + 4 > usable_) {
        Damage("a page of a table");
        break;
      }
      pending.push_back(static_cast<uint32_t>(BigEndian(page, cell, 4)));
    }
  }
}

bool SqliteFile::ReadLeaf(std::string_view page, size_t header, const Fields& fields,
                          const OnRow& on_row) {
  const std::string_view used = page.substr(0, usable_);
  const size_t cells = BigEndian(page, header + 3, 2);
  if (header + kLeafHeader + 2 * cells > usable_) return false;
  // Cells do not overlap, so that together they are no longer than the page.
  size_t left = usable_;
  std::string assembled;
  for (size_t i = 0; i < cells; ++i) {
    size_t at = BigEndian(page, header + kLeafHeader + 2 * i, 2);
    uint64_t length = 0, row_id = 0;
    if (!ReadVarint(used, at, length) || !ReadVarint(used, at, row_id)) return false;
    if (length > bytes_.size()) return false;
    const size_t most = usable_ - 35;
    size_t here = length;
    if (length > most) {
      const size_t least = (usable_ - 12) * 32 / 255 - 23;
      here = least + (length - least) % (usable_ - 4);
      if (here > most) here = least;
    }
    const size_t stored = here + (here < length ? 4 : 0);
    if (stored > used.size() - at || stored > left) return false;
    left -= stored;
    std::string_view payload = used.substr(at, here);
    if (here < length) {
      assembled = payload;
      const auto next = static_cast<uint32_t>(BigEndian(used, at + here, 4));
      if (!AppendOverflow(next, length, assembled)) return false;
      payload = assembled;
    }
    if (!ReadRecord(payload, static_cast<int64_t>(row_id), fields, on_row)) return false;
  }
  return true;
}

bool SqliteFile::AppendOverflow(uint32_t page, uint64_t length, std::string& payload) {
  while (payload.size() < length) {
    const std::string_view bytes = TakePage(page);
    if (bytes.empty()) return false;
    payload += bytes.substr(4, std::min<uint64_t>(usable_ - 4, length - payload.size()));
    page = static_cast<uint32_t>(BigEndian(bytes, 0, 4));
  }
  return true;
}

bool SqliteFile::ReadRecord(std::string_view payload, int64_t row_id, const Fields& fields,
                            const OnRow& on_row) {
  size_t type_at = 0;
  uint64_t header = 0;
  if (!ReadVarint(payload, type_at, header) || header > payload.size()) return false;
  const std::string_view types = payload.substr(0, header);
  size_t at = header;
  row_.assign(fields.wanted, {});
  // Records written before a column was added are shorter than the table's list of columns.
  for (size_t i = 0; i < fields.places.size() && type_at < types.size(); ++i) {
    uint64_t type = 0;
    if (!ReadVarint(types, type_at, type)) return false;
    const uint64_t length = LengthOf(type);
    if (length > payload.size() - at) return false;
    if (fields.places[i] >= 0) {
      row_[static_cast<size_t>(fields.places[i])] = ValueOf(type, payload.substr(at, length));
    }
    at += length;
  }
  for (const size_t place : fields.row_ids) {
    if (row_[place].is_null) row_[place] = {.is_null = false, .number = row_id, .text = {}};
  }
  on_row(row_);
  return true;
}

}  // namespace halo
