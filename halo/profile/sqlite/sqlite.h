// Reads rows of tables of an SQLite database from its bytes: tables with row ids, text in UTF-8.
// There is no SQL: indices, views, triggers and journals are not looked at, so that nothing in a
// file is ever executed. Takes time and memory in proportion to the file, whatever it contains.
#ifndef HALO_PROFILE_SQLITE_SQLITE_H_
#define HALO_PROFILE_SQLITE_SQLITE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

bool LooksLikeSqlite(std::string_view bytes);

struct SqliteValue {
  bool is_null = true;
  int64_t number = 0;     // of an integer
  std::string_view text;  // of a text; valid until the next row

  [[nodiscard]] int64_t Number(int64_t fallback) const { return is_null ? fallback : number; }
};

class SqliteFile {
 public:
  using OnRow = std::function<void(std::span<const SqliteValue>)>;

  // The bytes must outlive this.
  explicit SqliteFile(std::string_view bytes);

  // Why the file cannot be read, or where it is damaged; empty if it is not.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool HasTable(std::string_view table) const;
  // Calls `on_row` with the values of the wanted columns of each row; null for columns that the
  // table does not have. A table that the file does not have has no rows.
  void ForEachRow(std::string_view table, std::span<const std::string_view> wanted,
                  const OnRow& on_row);

 private:
  struct Column {
    std::string name;
    bool is_row_id = false;
  };
  struct Table {
    std::string name;
    uint32_t root = 0;
    std::vector<Column> columns;
  };
  // Which fields of a record are wanted: the place of each field in a row, or -1.
  struct Fields {
    std::vector<int> places;
    std::vector<size_t> row_ids;  // places that hold the row's id if the record has null
    size_t wanted = 0;
  };

  static std::vector<Column> ColumnsOf(std::string_view sql);
  void Walk(uint32_t root, const Fields& fields, const OnRow& on_row);
  // What one leaf holds; false if it is damaged.
  bool ReadLeaf(std::string_view page, size_t header, const Fields& fields, const OnRow& on_row);
  bool ReadRecord(std::string_view payload, int64_t row_id, const Fields& fields,
                  const OnRow& on_row);
  // The part of a payload that is on separate pages; false if it is damaged.
  bool AppendOverflow(uint32_t page, uint64_t length, std::string& payload);
  // Empty for a page that the file does not have, or that was taken before in this walk.
  std::string_view TakePage(uint32_t number);
  void Damage(std::string_view what);

  std::string_view bytes_;
  size_t page_size_ = 0, usable_ = 0;
  std::vector<Table> tables_;
  std::vector<bool> taken_;       // pages of this walk: each belongs to one place
  std::vector<SqliteValue> row_;  // of ReadRecord
  std::string problem_;
};

}  // namespace halo

#endif  // HALO_PROFILE_SQLITE_SQLITE_H_
