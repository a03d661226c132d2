// Reads that are repeated inside a fusion: handwritten ones, and generated ones against a list of
// the elements that each element depends on.
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "halo/memory/check/check_inplace.h"
#include "halo/text/read/read_text.h"

namespace halo::check {
namespace {

// Whether a fusion may overwrite its second operand, b, which it reads through the given ops, r
// being the last. The first is read element by element.
bool MayOverwriteSecond(const std::string& ops, std::string_view kind, CheckRules rules) {
  const std::string text = R"(HloModule twice

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

body {
  a = f32[16]{0} parameter(0)
  b = f32[16]{0} parameter(1)
  zero = f32[] constant(0)
)" + ops + R"(
  ROOT t = f32[16]{0} multiply(a, r)
}

ENTRY main {
  p = f32[16]{0} parameter(0)
  q = f32[16]{0} parameter(1)
  ROOT f = f32[16]{0} fusion(p, q), calls=body, kind=)" +
                           std::string(kind) + "\n}\n";
  const TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok()) << text;
  const Inst& fusion = read.module.inst(read.module.comp(read.module.entry).root);
  EXPECT_EQ(MayOverwrite(read.module, fusion, {}, 0, rules), 0);
  return MayOverwrite(read.module, fusion, {}, 1, rules).has_value();
}

TEST(CheckOverwrite, AThreadMayReadItsOwnElementManyTimes) {
  const std::string columns = R"(
  w = f32[2,6,16]{2,1,0} broadcast(b), dimensions={2}
  s = f32[2,6,16]{2,1,0} sine(w)
  c = f32[12,16]{1,0} bitcast(s)
  r = f32[16]{0} reduce(c, zero), dimensions={0}, to_apply=add)";
  EXPECT_TRUE(MayOverwriteSecond(columns, "kLoop", CheckRules::kGpu));
  EXPECT_TRUE(MayOverwriteSecond(columns, "kLoop", CheckRules::kAny));
  EXPECT_FALSE(MayOverwriteSecond(columns, "kLoop", CheckRules::kCpu));
  EXPECT_FALSE(MayOverwriteSecond(columns, "kLoop", CheckRules::kTpu));
  // Threads of other kernels share the work on one element.
  EXPECT_FALSE(MayOverwriteSecond(columns, "kInput", CheckRules::kGpu));
  const std::string rows = R"(
  w = f32[2,16,6]{2,1,0} broadcast(b), dimensions={1}
  c = f32[32,6]{1,0} bitcast(w)
  d = f32[32]{0} reduce(c, zero), dimensions={1}, to_apply=add
  g = f32[2,16]{1,0} bitcast(d)
  r = f32[16]{0} reduce(g, zero), dimensions={0}, to_apply=add)";
  EXPECT_TRUE(MayOverwriteSecond(rows, "kLoop", CheckRules::kGpu));
}

TEST(CheckOverwrite, AThreadMayNotReadElementsOfOthers) {
  for (const std::string_view ops : {R"(
  r = f32[16]{0} reverse(b), dimensions={0})",
                                     R"(
  w = f32[16,12]{1,0} broadcast(b), dimensions={0}
  c = f32[12,16]{1,0} bitcast(w)
  r = f32[16]{0} reduce(c, zero), dimensions={0}, to_apply=add)",
                                     R"(
  w = f32[16,16]{1,0} broadcast(b), dimensions={1}
  r = f32[16]{0} reduce(w, zero), dimensions={1}, to_apply=add)",
                                     R"(
  d = f32[] reduce(b, zero), dimensions={0}, to_apply=add
  r = f32[16]{0} broadcast(d), dimensions={})",
                                     R"(
  g = f32[4,4]{1,0} bitcast(b)
  w = f32[4,4,3]{2,0,1} broadcast(g), dimensions={0,1}
  h = f32[4,4]{0,1} reduce(w, zero), dimensions={2}, to_apply=add
  r = f32[16]{0} bitcast(h))",
                                     R"(
  w = f32[3,16]{1,0} broadcast(b), dimensions={1}
  v = f32[3,16]{1,0} reverse(w), dimensions={1}
  r = f32[16]{0} reduce(v, zero), dimensions={0}, to_apply=add)"}) {
    EXPECT_FALSE(MayOverwriteSecond(std::string(ops), "kLoop", CheckRules::kGpu)) << ops;
  }
}

// An array as the one element of the parameter that each of its elements depends on, by position in
// memory; the dimensions are listed minor first.
struct Traced {
  std::vector<int64_t> sizes;   // of each dimension
  std::vector<int64_t> layout;  // dimensions, minor first
  std::vector<int64_t> sources;
};

std::string ShapeText(const Traced& array) {
  const auto list = [](const std::vector<int64_t>& numbers) {
    std::string text;
    for (const int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
  };
  return "f32[" + list(array.sizes) + "]{" + list(array.layout) + "}";
}

// Calls visit(position in memory, index) for each element.
template <class Visit>
void ForEachElement(const Traced& array, const Visit& visit) {
  std::vector<int64_t> index(array.sizes.size(), 0);
  for (size_t position = 0;; ++position) {
    visit(position, index);
    size_t digit = 0;
    for (; digit < array.layout.size(); ++digit) {
      const auto dim = static_cast<size_t>(array.layout[digit]);
      if (++index[dim] < array.sizes[dim]) break;
      index[dim] = 0;
    }
    if (digit == array.layout.size()) return;
  }
}

size_t PositionOf(const Traced& array, const std::vector<int64_t>& index) {
  int64_t position = 0, stride = 1;
  for (const int64_t dim : array.layout) {
    position += stride * index[static_cast<size_t>(dim)];
    stride *= array.sizes[static_cast<size_t>(dim)];
  }
  return static_cast<size_t>(position);
}

// The step that describes the array; nullopt if there is none.
std::optional<int64_t> StepOf(const Traced& array, int64_t count) {
  const auto size = static_cast<int64_t>(array.sources.size());
  for (int64_t step = 1; step * count <= size; ++step) {
    bool fits = size % (step * count) == 0;
    for (int64_t p = 0; fits && p < size; ++p) {
      fits = array.sources[static_cast<size_t>(p)] == p / step % count;
    }
    if (fits) return step;
  }
  return std::nullopt;
}

class RepeatedReads {
 public:
  explicit RepeatedReads(uint32_t seed) : random_(seed) {}

  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }
  std::vector<int64_t> Shuffled(size_t count) {
    std::vector<int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = count; i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
    return order;
  }
  // Mostly the plain order, so that many arrays have a step.
  std::vector<int64_t> Layout(size_t rank) {
    if (Below(3) == 0) return Shuffled(rank);
    std::vector<int64_t> order(rank);
    for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
    return order;
  }

 private:
  std::mt19937 random_;
};

// The one instruction named x, in a module that also has its operands.
std::optional<int64_t> StepByModule(const std::string& operand, const std::string& op, bool reduces,
                                    int64_t step, int64_t count) {
  const TextReadResult read = ReadHloText(
      "HloModule m\nadd {\n  y = f32[] parameter(0)\n  z = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(y, z)\n}\nENTRY main {\n  p = " +
      operand + " parameter(0)\n  zero = f32[] constant(0)\n  ROOT x = " + op + "\n}\n");
  EXPECT_TRUE(read.diagnostics.ok()) << op;
  const Inst& inst = read.module.inst(read.module.comp(read.module.entry).root);
  return reduces ? StepOfReduce(read.module, inst, step, count)
                 : StepOfBroadcast(read.module, inst, step, count);
}

TEST(CheckOverwrite, StepsAreThoseOfEveryElement) {
  RepeatedReads choose(1);
  size_t kept = 0, refused = 0, lost = 0;
  for (int round = 0; round < 4000; ++round) {
    Traced from;
    const int64_t rank = 1 + choose.Below(3);
    for (int64_t d = 0; d < rank; ++d) from.sizes.push_back(1 + choose.Below(4));
    from.layout = choose.Layout(from.sizes.size());
    int64_t size = 1;
    for (const int64_t dim : from.sizes) size *= dim;
    // The parameter's elements, repeated with a step that fits into the array.
    std::vector<int64_t> counts, steps;
    for (int64_t count = 1; count <= size; ++count) {
      for (int64_t step = 1; step * count <= size; ++step) {
        if (size % (step * count) != 0) continue;
        counts.push_back(count);
        steps.push_back(step);
      }
    }
    const auto pick = static_cast<size_t>(choose.Below(static_cast<int64_t>(counts.size())));
    const int64_t count = counts[pick], step = steps[pick];
    for (int64_t p = 0; p < size; ++p) from.sources.push_back(p / step % count);

    Traced to;
    std::string op, dimensions;
    const bool reduces = choose.Below(2) == 0;
    if (reduces) {
      std::vector<size_t> left;
      for (size_t d = 0; d < from.sizes.size(); ++d) {
        if (choose.Below(2) == 0) {
          dimensions += (dimensions.empty() ? "" : ",") + std::to_string(d);
        } else {
          left.push_back(d);
          to.sizes.push_back(from.sizes[d]);
        }
      }
      to.layout = choose.Layout(to.sizes.size());
      constexpr int64_t kNone = -1, kSeveral = -2;
      int64_t elements = 1;
      for (const int64_t dim : to.sizes) elements *= dim;
      to.sources.assign(static_cast<size_t>(elements), kNone);
      ForEachElement(from, [&](size_t position, const std::vector<int64_t>& index) {
        std::vector<int64_t> reduced;
        for (const size_t d : left) reduced.push_back(index[d]);
        int64_t& source = to.sources[PositionOf(to, reduced)];
        if (source == kNone) source = from.sources[position];
        if (source != from.sources[position]) source = kSeveral;
      });
      op = ShapeText(to) + " reduce(p, zero), dimensions={" + dimensions + "}, to_apply=add";
    } else {
      const size_t added = static_cast<size_t>(choose.Below(3));
      std::vector<int64_t> order(from.sizes.size() + added);
      std::iota(order.begin(), order.end(), 0);
      for (size_t i = 0; i < added; ++i) {
        order.erase(order.begin() + choose.Below(static_cast<int64_t>(order.size())));
      }
      to.sizes.assign(from.sizes.size() + added, 0);
      for (int64_t& dim : to.sizes) dim = 1 + choose.Below(4);
      for (size_t d = 0; d < order.size(); ++d) {
        to.sizes[static_cast<size_t>(order[d])] = from.sizes[d];
        dimensions += (d == 0 ? "" : ",") + std::to_string(order[d]);
      }
      to.layout = choose.Layout(to.sizes.size());
      ForEachElement(to, [&](size_t, const std::vector<int64_t>& index) {
        std::vector<int64_t> read;
        for (const int64_t dim : order) read.push_back(index[static_cast<size_t>(dim)]);
        to.sources.push_back(from.sources[PositionOf(from, read)]);
      });
      op = ShapeText(to) + " broadcast(p), dimensions={" + dimensions + "}";
    }
    const std::optional<int64_t> found = StepByModule(ShapeText(from), op, reduces, step, count);
    const std::optional<int64_t> wanted = StepOf(to, count);
    if (found) {
      ++kept;
      ASSERT_TRUE(wanted) << op << " of " << ShapeText(from) << ", step " << step << " of "
                          << count;
      // A parameter of one element has any step.
      if (count > 1) {
        ASSERT_EQ(found, wanted) << op << " of " << ShapeText(from) << ", step " << step;
      }
    } else {
      ++refused;
      lost += wanted ? 1 : 0;
    }
  }
  EXPECT_GT(kept, 1000U);
  EXPECT_GT(refused, 500U);
  EXPECT_EQ(lost, 0U);
}

}  // namespace
}  // namespace halo::check
