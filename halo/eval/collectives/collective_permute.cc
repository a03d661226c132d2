// collective-permute: every target receives its source's operand, all other devices receive zeros.
// With slice_sizes it works in place: slices of the sources' inputs are written into the targets'
// buffers.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "halo/eval/collectives/collective_parts.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// Returns, for each member, the member that sends to it.
std::vector<std::optional<size_t>> Sources(const OpContext& cx, std::span<const int64_t> devices,
                                           const DeviceGrid& grid) {
  const bool by_partition =
      GroupModeOf(cx.module, cx.inst, cx.opcode) == GroupMode::kCrossPartition;
  std::map<int64_t, size_t> member_of;
  for (size_t i = 0; i < devices.size(); ++i) {
    member_of[by_partition ? devices[i] % grid.partitions : devices[i] / grid.partitions] = i;
  }
  std::vector<std::optional<size_t>> sources(devices.size());
  const auto add = [&](int64_t source, int64_t target) {
    const auto from = member_of.find(source);
    const auto to = member_of.find(target);
    if (from != member_of.end() && to != member_of.end()) sources[to->second] = from->second;
  };
  // Stored as a count, then for each pair a length and its items.
  const std::span<const int64_t> list = cx.ints(AttrKey::k_source_target_pairs);
  for (size_t at = 1; at + 2 < list.size(); at += 3) {
    if (list[at] != 2) break;
    add(list[at + 1], list[at + 2]);
  }
  return sources;
}

struct Slice {
  Dims input, output, size;
};

// A start index is a tuple of scalars, or one such tuple per slice.
bool ReadStarts(const Value& value, std::vector<Dims>& out) {
  if (!value.is_tuple()) return false;
  Dims starts;
  for (const Value& element : value.elements()) {
    if (element.is_tuple()) {
      if (!ReadStarts(element, out)) return false;
    } else if (element.is_array() && element.array().count() == 1) {
      starts.push_back(LoadInt(element.array().type(), element.array().bytes()));
    } else {
      return false;
    }
  }
  if (!starts.empty()) out.push_back(std::move(starts));
  return out.size() <= 64;
}

std::vector<Dims> ReadSizes(const OpContext& cx) {
  std::vector<Dims> out;
  const std::span<const int64_t> list = cx.ints(AttrKey::k_slice_sizes);
  size_t at = 1;
  while (at < list.size()) {
    const auto length = static_cast<size_t>(std::max<int64_t>(0, list[at]));
    if (length > list.size() - at - 1) break;
    const std::span<const int64_t> items = list.subspan(at + 1, length);
    out.emplace_back(items.begin(), items.end());
    at += 1 + length;
  }
  return out;
}

// Clamps the starts so that the slice is inside the array, as dynamic slices do.
bool Clamp(const Array& array, std::span<const int64_t> size, Dims& start) {
  if (start.size() != array.rank() || size.size() != array.rank()) return false;
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] < 0 || size[i] > array.dim(i)) return false;
    start[i] = std::clamp<int64_t>(start[i], 0, array.dim(i) - size[i]);
  }
  return true;
}

bool WriteSlices(const OpContext& source, const OpContext& target, Array& out) {
  std::vector<Dims> from;
  std::vector<Dims> to;
  const std::vector<Dims> sizes = ReadSizes(source);
  if (!ReadStarts(source.operand(2), from) || !ReadStarts(target.operand(3), to)) return false;
  if (from.size() != sizes.size() || to.size() != sizes.size()) return false;
  const Array& input = source.array(0);
  if (input.type() != out.type()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!Clamp(input, sizes[i], from[i]) || !Clamp(out, sizes[i], to[i])) return false;
    CopyBox(input, from[i], out, to[i], sizes[i]);
  }
  return true;
}

Result<MemberResults> PermuteInPlace(Members members,
                                     std::span<const std::optional<size_t>> sources) {
  MemberResults results(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    const OpContext& cx = members[i];
    if (!cx.operand(0).is_array() || !cx.operand(1).is_array()) {
      return CannotCombine(cx, "in place, it moves slices of one array");
    }
    Array out = cx.array(1);
    if (sources[i] && !WriteSlices(members[*sources[i]], cx, out)) {
      return CannotCombine(cx, "its slices do not fit its operands");
    }
    results[i].emplace_back(std::move(out));
  }
  return results;
}

}  // namespace

Result<MemberResults> CollectivePermute(Members members, std::span<const int64_t> devices,
                                        const DeviceGrid& grid) {
  const OpContext& cx = members[0];
  const std::vector<std::optional<size_t>> sources = Sources(cx, devices, grid);
  const bool in_place = !cx.ints(AttrKey::k_slice_sizes).empty() && cx.operands.size() == 4;
  if (in_place) return PermuteInPlace(members, sources);
  MemberResults results(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t operand = 0; operand < members[i].operands.size(); ++operand) {
      if (sources[i]) {
        results[i].push_back(members[*sources[i]].operand(operand));
      } else if (members[i].operand(operand).is_array()) {
        const Array& own = members[i].array(operand);
        results[i].emplace_back(members[i].Make(own.type(), own.dims()));
      } else {
        return CannotCombine(cx, "it moves arrays only");
      }
    }
  }
  return results;
}

}  // namespace halo
