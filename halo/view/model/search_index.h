// Finds instructions by words in their name, opcode, shape, op_name or source line. The distinct
// strings of a module are stored in lower case, back to back, so that a search is one pass over
// them and one over the instructions.
#ifndef HALO_VIEW_MODEL_SEARCH_INDEX_H_
#define HALO_VIEW_MODEL_SEARCH_INDEX_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/explain/origins.h"

namespace halo::view {

enum class SearchField : uint8_t { kName, kOpcode, kShape, kOpName, kSource };
inline constexpr size_t kSearchFields = 5;
std::string_view SearchFieldText(SearchField field);

struct SearchMatch {
  InstId inst;
  uint16_t score = 0;                      // higher is closer to what was typed
  SearchField field = SearchField::kName;  // where the first word was found
};

// Strings in lower case, back to back.
class LowerTexts {
 public:
  void Add(std::string_view text);
  void Count();  // once all are added
  [[nodiscard]] size_t size() const { return ends_.size(); }
  // For each string: 0 no match, 1 it contains the word, 2 it begins with it, 3 it equals it.
  void Scan(std::string_view word, std::vector<uint8_t>& hits) const;
  [[nodiscard]] size_t bytes() const { return chars_.size() + ends_.size() * sizeof(uint32_t); }

 private:
  std::string chars_;
  std::vector<uint32_t> ends_;
  std::array<uint32_t, 256> frequency_{};
};

class SearchIndex {
 public:
  explicit SearchIndex(const Module& module);

  // All words must be found, each in any field; "opcode:dot" searches that field only, and
  // "layers.py:120" searches sources. Results are in text order. An empty query finds nothing.
  std::vector<SearchMatch> Find(std::string_view query) const;

 private:
  struct Word {
    std::string text;
    int field = -1;  // any
    std::string file;
    int64_t line = -1;  // with `file`: of sources
  };
  static std::vector<Word> Split(std::string_view query);
  // The match score and, in the lowest three bits, the field of the first match; 0 if there is
  // none.
  using Found = uint16_t;
  // Adds the score of one more word.
  void Score(const Word& word, bool is_first, std::vector<Found>& best) const;

  const Module& module_;
  LowerTexts strings_;               // by StrId
  LowerTexts shapes_;                // by ShapeId
  std::vector<StrId> op_names_;      // by AttrListId of instructions
  std::vector<SourceLine> sources_;  // likewise
};

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_SEARCH_INDEX_H_
