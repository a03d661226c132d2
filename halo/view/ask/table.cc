// Sorts and filters any table.
#include "halo/view/ask/table.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "halo/base/strings/characters.h"

namespace halo::view {
namespace {

// Sorts fusion.2 before fusion.10.
bool ComesBefore(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    size_t a_end = i, b_end = j;
    while (a_end < a.size() && IsDigit(a[a_end])) ++a_end;
    while (b_end < b.size() && IsDigit(b[b_end])) ++b_end;
    if (a_end - i != b_end - j) return a_end - i < b_end - j;
    const int order = a.substr(i, a_end - i).compare(b.substr(j, b_end - j));
    if (order != 0) return order < 0;
    i = a_end, j = b_end;
  }
  return a.size() - i < b.size() - j;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string> LowerWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ') {
      word += Lower(c);
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

std::string_view ColumnKindText(ColumnKind kind) {
  constexpr std::array<std::string_view, 6> kTexts = {"text", "number", "bytes",
                                                      "inst", "comp",   "value"};
  return kTexts[static_cast<size_t>(kind)];
}

void FilterRows(std::string_view words, ModuleView* module, Table& table) {
  const std::vector<std::string> wanted = LowerWords(words);
  if (wanted.empty()) return;
  if (table.rows_are_insts) {
    std::vector<uint32_t> found;
    for (const SearchMatch& match : module->search().Find(words)) {
      found.push_back(match.inst.value);
    }
    std::vector<uint32_t> rows;
    std::set_intersection(table.rows.begin(), table.rows.end(), found.begin(), found.end(),
                          std::back_inserter(rows));
    table.rows = std::move(rows);
    return;
  }
  std::string scratch, all;
  std::erase_if(table.rows, [&](uint32_t row) {
    all.clear();
    for (const Column& column : table.columns) {
      if (!column.text) continue;
      for (const char c : column.text(row, scratch)) all += Lower(c);
      all += '\n';
    }
    return !std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
      return all.find(word) != std::string::npos;
    });
  });
}

void SortRows(const Column& column, bool descending, std::vector<uint32_t>& rows) {
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  if (column.number) {
    std::vector<double> keys;
    keys.reserve(rows.size());
    for (const uint32_t row : rows) keys.push_back(column.number(row));
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (keys[a] == keys[b]) return a < b;
      return descending ? keys[a] > keys[b] : keys[a] < keys[b];
    });
  } else {
    std::string texts, scratch;
    std::vector<size_t> ends = {0};
    for (const uint32_t row : rows) {
      texts += column.text(row, scratch);
      ends.push_back(texts.size());
    }
    const auto key = [&](uint32_t i) {
      return std::string_view(texts).substr(ends[i], ends[i + 1] - ends[i]);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (ComesBefore(key(a), key(b))) return !descending;
      if (ComesBefore(key(b), key(a))) return descending;
      return a < b;
    });
  }
  std::vector<uint32_t> sorted;
  sorted.reserve(rows.size());
  for (const uint32_t i : order) sorted.push_back(rows[i]);
  rows = std::move(sorted);
}

}  // namespace halo::view
