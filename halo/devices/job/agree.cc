// Compares the devices' lists of collectives.
#include "halo/devices/job/agree.h"

#include <algorithm>
#include <set>

#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

Diagnostic Mismatch(std::string message) {
  return MakeBinaryDiagnostic(diag::kCollectiveMismatch, 0, std::move(message));
}

std::optional<Diagnostic> CheckGroups(const CollectiveOp& op, int64_t devices) {
  std::vector<bool> seen(static_cast<size_t>(devices));
  for (const std::vector<int64_t>& group : op.groups) {
    for (const int64_t device : group) {
      if (device < 0 || device >= devices || seen[static_cast<size_t>(device)]) {
        return Mismatch("instruction %" + op.name + ": its groups name device " +
                        std::to_string(device) +
                        (device < 0 || device >= devices ? ", which does not run" : " twice"));
      }
      seen[static_cast<size_t>(device)] = true;
    }
  }
  const auto out = std::ranges::find(seen, false);
  if (out == seen.end()) return std::nullopt;
  return Mismatch("instruction %" + op.name + ": device " + std::to_string(out - seen.begin()) +
                  " is in none of its groups");
}

// Each device is a source at most once and a target at most once, so that every device knows which
// one to wait for.
std::optional<Diagnostic> CheckPairs(const CollectiveOp& op, int64_t devices) {
  std::set<int64_t> targets;
  for (const auto& [source, target] : op.pairs) {
    const int64_t wrong = source < 0 || source >= devices ? source : target;
    if (wrong < 0 || wrong >= devices) {
      return Mismatch("instruction %" + op.name + ": its pairs name device " +
                      std::to_string(wrong) + ", which does not run");
    }
    if (!targets.insert(target).second) {
      return Mismatch("instruction %" + op.name + ": device " + std::to_string(target) +
                      " is a target more than once");
    }
  }
  return std::nullopt;
}

// The other side of a transfer must have the same channel, pairs and bytes.
std::optional<Diagnostic> CheckTransfer(const CollectiveOp& op, std::span<const CollectiveOp> ops) {
  const bool sends = op.kind == CollectiveKind::kSend;
  if (!sends && op.kind != CollectiveKind::kRecv) return std::nullopt;
  const CollectiveKind other = sends ? CollectiveKind::kRecv : CollectiveKind::kSend;
  for (const CollectiveOp& candidate : ops) {
    if (candidate.kind != other || candidate.channel != op.channel) continue;
    const int64_t here = sends ? op.operand_bytes() : op.result_bytes();
    const int64_t there = sends ? candidate.result_bytes() : candidate.operand_bytes();
    if (here == there && candidate.pairs == op.pairs) return std::nullopt;
    return Mismatch("instruction %" + op.name + " and %" + candidate.name +
                    " transfer over channel " + std::to_string(op.channel) +
                    " but not the same bytes between the same devices");
  }
  return Mismatch("instruction %" + op.name + ": nothing " + (sends ? "receives" : "sends") +
                  " over channel " + std::to_string(op.channel));
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

std::optional<Diagnostic> CheckCollectives(std::span<const CollectiveOp> ops, int64_t devices) {
  for (const CollectiveOp& op : ops) {
    if (auto wrong = CheckGroups(op, devices)) return wrong;
    if (auto wrong = CheckPairs(op, devices)) return wrong;
    if (auto wrong = CheckTransfer(op, ops)) return wrong;
  }
  return std::nullopt;
}

std::string CollectiveLines(std::span<const CollectiveOp> ops) {
  std::string lines;
  for (const CollectiveOp& op : ops) lines += CollectiveText(op) + '\n';
  return lines;
}

std::optional<Diagnostic> CompareCollectives(std::span<const std::string> lines) {
  const std::vector<std::string_view> first = SplitLines(lines[0]);
  for (size_t device = 1; device < lines.size(); ++device) {
    if (lines[device] == lines[0]) continue;
    const std::vector<std::string_view> other = SplitLines(lines[device]);
    const auto [here, there] = std::ranges::mismatch(first, other);
    const auto text = [](auto at, auto end) {
      return at == end ? std::string("no more collectives") : "`" + std::string(*at) + "`";
    };
    return Mismatch("devices disagree about collective number " +
                    std::to_string(here - first.begin() + 1) + ": device 0 has " +
                    text(here, first.end()) + ", device " + std::to_string(device) + " has " +
                    text(there, other.end()));
  }
  return std::nullopt;
}

}  // namespace halo
