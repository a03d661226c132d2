// The parts of an op that one machine of several does: a step of a reduction, spreading what other
// machines sent, and the blocks of an all-to-all that stay on the machine.
#include <algorithm>

#include "halo/devices/combine/group_work.h"
#include "halo/devices/combine/stream_copy.h"

namespace halo {

template <class Visit>
void GroupWork::ForSections(int64_t begin, int64_t end, const Visit& visit) const {
  auto section = std::ranges::upper_bound(sections_, begin, {}, &Section::begin);
  for (int64_t at = begin; at < end; ++section) {
    const Section& here = *(section - 1);
    const int64_t to = std::min(end, here.begin + here.bytes);
    visit(here, at - here.begin, to - here.begin);
    at = to;
  }
}

size_t GroupWork::OwnerAt(int64_t at, int64_t* end) const {
  auto section = std::ranges::upper_bound(sections_, at, {}, &Section::begin) - 1;
  const uint32_t owner = section->member;
  while (section != sections_.end() && section->member == owner) ++section;
  *end = section == sections_.end() ? total_bytes_ : section->begin;
  return owner;
}

void GroupWork::Continue(int64_t begin, int64_t end, std::span<const size_t> folded,
                         const MemberArrays& arrays, const uint8_t* before, uint8_t* after,
                         bool is_last) {
  const int64_t element = element_bytes();
  std::vector<const uint8_t*> in(folded.size());
  ForSections(begin, end, [&](const Section& section, int64_t from, int64_t to) {
    const CollectiveArray& array = op_.results[section.array];
    const bool scatters = op_.kind == CollectiveKind::kReduceScatter;
    // Bytes of a member's part in each outer block; a sum of whole arrays has one such block.
    const int64_t run = scatters ? array.extent * array.inner * element : section.bytes;
    const int64_t whole = scatters ? run * static_cast<int64_t>(members()) : 0;
    const int64_t part = scatters ? section.member * run : 0;
    for (int64_t at = from; at < to;) {
      const int64_t within = at % run;
      const int64_t bytes =
          std::min({static_cast<int64_t>(kFoldElements) * element, to - at, run - within});
      const int64_t offset = at / run * whole + part + within;
      for (size_t m = 0; m < folded.size(); ++m) {
        in[m] = operand(arrays, folded[m], section.array) + offset;
      }
      const int64_t count = bytes / element;
      chain_.step(before, in, after, static_cast<size_t>(count), is_last);
      if (before != nullptr) before += count * state_bytes();
      after += count * (is_last ? element : state_bytes());
      at += bytes;
    }
  });
}

void GroupWork::Spread(int64_t begin, int64_t end, const uint8_t* from,
                       const MemberArrays& arrays) const {
  ForSections(begin, end, [&](const Section& section, int64_t first, int64_t to) {
    const auto bytes = static_cast<size_t>(to - first);
    if (op_.kind == CollectiveKind::kAllReduce) {
      SpreadBlock(from, section.array, first, bytes, arrays);
    } else if (uint8_t* at = result(arrays, section.member, section.array); at != nullptr) {
      CopyBytes(at + first, from, bytes, stream_);
    }
    from += bytes;
  });
  if (stream_) EndStream();
}

void GroupWork::Deliver(size_t member, size_t array, int64_t begin, int64_t end,
                        const uint8_t* from, const MemberArrays& arrays) const {
  const Section section{static_cast<uint32_t>(member), static_cast<uint32_t>(array)};
  GatherFrom(from, section, begin, end, arrays);
  if (stream_) EndStream();
}

void GroupWork::ExchangePair(size_t source, size_t target, const MemberArrays& arrays) const {
  const auto count = static_cast<int64_t>(members());
  for (size_t i = 0; i < op_.results.size(); ++i) {
    const CollectiveArray& array = op_.results[i];
    const int64_t run =
        array.extent / count * array.inner * static_cast<int64_t>(StoredBytes(array.type));
    for (int64_t block = 0; block < array.outer && run > 0; ++block) {
      const int64_t at = block * run * count;
      CopyBytes(result(arrays, target, i) + at + static_cast<int64_t>(source) * run,
                operand(arrays, source, i) + at + static_cast<int64_t>(target) * run,
                static_cast<size_t>(run), stream_);
    }
  }
  if (stream_) EndStream();
}

}  // namespace halo
