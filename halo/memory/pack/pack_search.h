// Searches one component for a packing of at most a given height, exhaustively if allowed to. Items
// pile up from the bottom: each section has a level, below which nothing is placed any more. The
// search takes a section in a valley of that skyline and branches on which item is placed next
// there, if any. The strategy decides which section to branch on and which choice to try first; the
// caller decides which heights to request and how long to search.
#ifndef HALO_MEMORY_PACK_PACK_SEARCH_H_
#define HALO_MEMORY_PACK_PACK_SEARCH_H_

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "halo/base/round_up.h"
#include "halo/memory/pack/pack_model.h"

namespace halo {

struct SearchStrategy {
  enum class First : uint8_t { kWide, kFull, kLarge, kNarrow, kTall };
  enum class Ask : uint8_t { kFewestChoices, kLowestTightest, kLowestFewest, kTightest };
  First first = First::kWide;
  Ask ask = Ask::kFewestChoices;
  uint64_t noise = 0;  // a seed that perturbs the order a little; 0 for the plain order
};

enum class SearchEnd : uint8_t { kFound, kImpossible, kGaveUp };

class PackSearch {
 public:
  PackSearch(const PackModel& model, const PackComponent& component);

  // The number of interferences, which a search keeps in memory; above the limit the search does
  // not suit the component.
  static uint64_t CountOverlaps(const PackModel& model, const PackComponent& component,
                                uint64_t limit);

  // kImpossible is a proof. `stop` is polled from time to time.
  SearchEnd Run(const SearchStrategy& strategy, int64_t height, uint64_t nodes,
                const std::function<bool()>& stop);

  // After kFound, by position in the component.
  [[nodiscard]] const std::vector<int64_t>& offsets() const { return offset_; }
  [[nodiscard]] uint64_t nodes() const { return nodes_; }  // of the last run

 private:
  struct Change {
    int64_t* where;
    int64_t before;
  };

  void Reset(int64_t height);
  void Rank();
  SearchEnd SolveParts(int32_t begin, int32_t end);
  SearchEnd Solve(int32_t begin, int32_t end);
  SearchEnd TryChoices(int32_t section, int32_t begin, int32_t end);
  // The section to branch on.
  [[nodiscard]] int32_t Choose(int32_t begin, int32_t end) const;
  [[nodiscard]] bool IsValley(int32_t from, int32_t to, int32_t begin, int32_t end,
                              int64_t lowest) const;
  [[nodiscard]] std::pair<int64_t, int64_t> KeyOf(int32_t section) const;
  // Places no item at the section's level; raises it to the next level where one can be placed.
  bool PassOver(int32_t section);
  [[nodiscard]] bool Rests(uint32_t item) const;
  // Sets `cut` if the remaining items may split into parts that do not interfere.
  bool Place(uint32_t item, bool& cut);
  bool Lift(uint32_t item, int64_t level);
  bool CheckSections(int32_t begin, int32_t end);
  bool CheckSection(int32_t section);
  void Undo(size_t changes, size_t placed);
  void Set(int64_t& where, int64_t value) {
    changes_.push_back({&where, where});
    where = value;
  }
  [[nodiscard]] bool CanPlaceAt(uint32_t item, int64_t level) const {
    return lowest_[item] == (mixed_ ? RoundUp(level, items_[item].alignment) : level);
  }
  [[nodiscard]] std::span<const SectionRange> pieces_of(uint32_t item) const {
    return {pieces_.data() + items_[item].first_piece, items_[item].piece_count};
  }
  [[nodiscard]] std::span<uint32_t> live_of(int32_t section) {
    return {live_.data() + first_live_[section], static_cast<size_t>(live_count_[section])};
  }
  [[nodiscard]] std::span<const uint32_t> live_of(int32_t section) const {
    return {live_.data() + first_live_[section], static_cast<size_t>(live_count_[section])};
  }
  [[nodiscard]] bool Covers(uint32_t item, int32_t section) const;

  // The problem, in sections counted from the component's first.
  std::vector<ModelItem> items_;
  std::vector<SectionRange> pieces_;
  std::vector<int64_t> all_totals_, top_pads_;
  std::vector<uint32_t> overlaps_, first_overlap_;
  std::vector<uint32_t> kind_;  // equal for items that are interchangeable
  int32_t sections_ = 0;
  bool gaps_ = false;
  bool mixed_ = false;  // alignments differ: an exhausted search proves nothing

  // The state: by item, by section, and the log for undoing changes.
  std::vector<int64_t> offset_, lowest_;
  std::vector<uint8_t> placed_;
  std::vector<int64_t> level_, top_, total_, choices_;  // top_: of the last item placed
  std::vector<uint32_t> live_, first_live_;
  std::vector<int32_t> live_count_, bridges_;  // bridges_: items that cross into the next section
  std::vector<Change> changes_;
  std::vector<uint32_t> placed_order_;
  std::vector<uint32_t> choice_stack_;

  std::vector<uint32_t> rank_;
  SearchStrategy strategy_;
  int64_t height_ = 0;
  uint64_t nodes_ = 0;
  uint64_t node_limit_ = 0;
  const std::function<bool()>* stop_ = nullptr;
};

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_SEARCH_H_
