// Tests that each repetition is found with the right count, and that nothing else is found.
#include "halo/view/graph/repeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halo::view {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<uint64_t> Letters(std::string_view text) { return {text.begin(), text.end()}; }

TEST(RepeatsTest, LayersBetweenOtherThings) {
  EXPECT_THAT(FindRepeats(Letters("xyabcdabcdabcdabcdzw")), ElementsAre(Repeat{2, 4, 4}));
}

TEST(RepeatsTest, TwoDifferentRanges) {
  EXPECT_THAT(FindRepeats(Letters("abcabcabcabcXuvwuvwuvw")),
              ElementsAre(Repeat{0, 3, 4}, Repeat{13, 3, 3}));
}

TEST(RepeatsTest, TheShortestPeriodIsTaken) {
  EXPECT_THAT(FindRepeats(Letters("abcabcabcabc")), ElementsAre(Repeat{0, 3, 4}));
}

TEST(RepeatsTest, ALimitedPeriodFindsWhatIsInside) {
  const auto inner = FindRepeats(Letters("aaaaabcaaaaabc"), {.longest_period = 4});
  EXPECT_THAT(inner, ElementsAre(Repeat{0, 1, 5}, Repeat{7, 1, 5}));
}

TEST(RepeatsTest, WhatIsTooLittleStays) {
  EXPECT_THAT(FindRepeats(Letters("abab")), IsEmpty());
  EXPECT_THAT(FindRepeats(Letters("aa")), IsEmpty());
  EXPECT_THAT(FindRepeats(Letters("abcdefgh")), IsEmpty());
  EXPECT_THAT(FindRepeats({}), IsEmpty());
}

TEST(RepeatsTest, BeginsWhereLeastIsCarried) {
  // One and a half repetitions more than four: it may begin at any of three positions.
  std::vector<uint32_t> carried(20, 5);
  for (const size_t at : {2, 6, 10, 14, 18}) carried[at] = 1;
  const auto found = FindRepeats(Letters("abcdabcdabcdabcdabX"), {.carried = carried});
  EXPECT_THAT(found, ElementsAre(Repeat{2, 4, 4}));
}

TEST(RepeatsTest, EqualItemsThatReadOtherwiseAreNotTheSame) {
  const auto same = [](uint32_t a, uint32_t) { return a >= 4; };
  EXPECT_THAT(FindRepeats(Letters("abcdabcdabcdabcd"), {.same = same}),
              ElementsAre(Repeat{4, 4, 3}));
}

TEST(RepeatsTest, AHundredThousandLayersAreQuick) {
  std::vector<uint64_t> sequence;
  for (uint64_t layer = 0; layer < 100'000; ++layer) {
    for (uint64_t i = 0; i < 10; ++i) sequence.push_back(i);
  }
  EXPECT_THAT(FindRepeats(sequence), ElementsAre(Repeat{0, 10, 100'000}));
}

}  // namespace
}  // namespace halo::view
