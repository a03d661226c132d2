// Positions keep the plan acyclic: every cluster has one, greater than those of everything it
// reads. A cluster has the position of its last result. An instruction with readers elsewhere may
// only join it if all of them come later, or if the cluster can move up to the instruction.
#include "halo/passes/fusion/fusion_partition.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "halo/passes/rewrite/op_cost.h"
#include "halo/passes/rewrite/physical.h"

namespace halo {
namespace {

constexpr size_t kNone = SIZE_MAX;
// Measured on the target machines: the launch of a kernel, one byte of traffic, and one addition in
// vector code.
constexpr double kStepNs = 1500;
constexpr double kByteNs = 0.1;
constexpr double kWorkNs = 0.02;
constexpr size_t kMaxCopies = 8;
constexpr int64_t kTinyDomain = 4096;

double BytesOf(const Module& module, InstId id) {
  const ShapeId shape = module.inst(id).shape;
  if (!module.shapes.is_array(shape)) return 0;
  return static_cast<double>(module.shapes.ElementCount(shape).value_or(0)) *
         static_cast<double>(StoredBytes(module.shapes.type(shape)));
}

bool IsFree(Opcode opcode) { return opcode == Opcode::kBitcast || opcode == Opcode::kConstant; }

}  // namespace

FusionPartition::FusionPartition(const Module& module, const Users& users, CompId comp,
                                 PassLog& log)
    : module_(module), users_(users), log_(log), first_(module.comp(comp).first) {
  const uint32_t count = module.comp(comp).count;
  where_.resize(count);
  outside_.assign(count, false);
  result_of_.assign(count, kNone);
  for (uint32_t i = count; i-- > 0;) Place(InstId(first_ + i));
  MergeSiblings();
}

std::vector<const Cluster*> FusionPartition::clusters() const {
  std::vector<const Cluster*> found;
  for (size_t i = 0; i < clusters_.size(); ++i) {
    if (!gone_[i] && clusters_[i].nodes().size() > 1) found.push_back(&clusters_[i]);
  }
  return found;
}

void FusionPartition::Note(std::string_view what, InstId id, const Cluster& cluster,
                           std::string_view why) {
  if (!log_.wanted()) return;
  log_.Note(what, " %", module_.name_of(module_.inst(id)), " into %",
            module_.name_of(module_.inst(cluster.roots()[0])), ": ", why);
}

int64_t FusionPartition::PositionOf(InstId id) const {
  const size_t cluster = result_of_[id.value - first_];
  return cluster == kNone ? static_cast<int64_t>(id.value) : clusters_[cluster].position();
}

bool FusionPartition::IsUnfused(InstId id) const {
  return where_[id.value - first_].empty() || outside_[id.value - first_];
}

bool FusionPartition::FindReaders(InstId id, std::vector<Reader>& readers) {
  bool all = module_.comp(module_.inst(id).parent).root != id;
  std::map<size_t, std::vector<InstId>> users_in;  // a constant may have thousands of users
  for (const InstId user : users_.of(id)) {
    const std::vector<size_t>& where = where_[user.value - first_];
    if (IsUnfused(user)) all = false;
    for (const size_t cluster : where) users_in[cluster].push_back(user);
  }
  const auto elements = static_cast<double>(ElementsOf(module_, id));
  for (const auto& [cluster, users] : users_in) {
    std::optional<Cluster::Maps> maps = clusters_[cluster].Reads(id, users);
    if (!maps) {
      all = false;
      continue;
    }
    double count = clusters_[cluster].Count(*maps);
    // Once its reductions are fused, a per-row value is computed once per row.
    if (count > elements && clusters_[cluster].IsPerRow(*maps) && !RowValues(id).empty()) {
      count = elements;
    }
    readers.push_back({cluster, *std::move(maps), count});
  }
  return all;
}

// Weighs recomputed work against the saved traffic and the saved kernel.
bool FusionPartition::PaysInside(InstId id, const std::vector<Reader>& readers) const {
  const Inst& inst = module_.inst(id);
  const auto elements = static_cast<double>(ElementsOf(module_, id));
  const double bytes = BytesOf(module_, id);
  double operand_bytes = 0;
  for (const InstId operand : module_.operands_of(inst)) {
    const double read = BytesOf(module_, operand);
    operand_bytes += inst.opcode == Opcode::kReduce ? read : std::min(read, bytes);
  }
  double computed = 0;
  double reads = 0;
  for (const Reader& reader : readers) {
    computed += reader.count;
    reads += std::min(1.0, reader.count / std::max(1.0, elements));
  }
  int cost = OpCost(inst.opcode);
  if (inst.opcode == Opcode::kReduce) {
    if (readers.size() > 1) return false;
    cost = 1000;
  }
  if (cost > 0 && readers.size() > kMaxCopies && computed > 1.01 * elements) return false;
  const double again = kWorkNs * cost * std::max(0.0, computed - elements);
  const double before = bytes * (1 + reads) + operand_bytes;
  const double after = reads * operand_bytes;
  return again + kByteNs * (after - before) <= kStepNs;
}

bool FusionPartition::PutInside(InstId id, const std::vector<Reader>& readers) {
  std::string_view why;
  // Instructions that cost work are fused into all readers or none: a value that is stored anyway
  // need not be recomputed.
  if (readers.size() > 1 && OpCost(module_.inst(id).opcode) > 0) {
    for (const Reader& reader : readers) {
      Cluster trial = clusters_[reader.cluster];
      if (trial.Add(id, reader.maps, false, why)) continue;
      Note("do not fuse", id, trial, why);
      return false;
    }
  }
  bool all = true;
  for (const Reader& reader : readers) {
    Cluster& cluster = clusters_[reader.cluster];
    if (!cluster.Add(id, reader.maps, false, why)) {
      Note("do not fuse", id, cluster, why);
      all = false;
      continue;
    }
    where_[id.value - first_].push_back(reader.cluster);
    Note("fuse", id, cluster,
         readers.size() == 1 ? "only this kernel reads it" : "cheaper to compute than to store");
  }
  return all;
}

// Returns true if something other than `except` reads a result of the cluster before `position`.
bool FusionPartition::ReadBefore(size_t cluster, int64_t position, size_t except) const {
  for (const InstId root : clusters_[cluster].roots()) {
    for (const InstId user : users_.of(root)) {
      const std::vector<size_t>& where = where_[user.value - first_];
      if (IsUnfused(user) && static_cast<int64_t>(user.value) <= position) return true;
      for (const size_t reader : where) {
        if (reader == except || reader == cluster) continue;
        if (clusters_[reader].position() <= position) return true;
      }
    }
  }
  return false;
}

// Returns true if the cluster reads something, other than results of `except`, that is produced at
// `position` or later.
bool FusionPartition::NeedsAfter(size_t cluster, int64_t position, size_t except) const {
  return std::ranges::any_of(clusters_[cluster].inputs(), [&](uint32_t input) {
    const size_t maker = result_of_[input - first_];
    if (maker != kNone && maker == except) return false;
    return PositionOf(InstId(input)) >= position;
  });
}

bool FusionPartition::MayMove(InstId id, size_t cluster) {
  const int64_t position = clusters_[cluster].position();
  bool all_later = true;
  for (const InstId user : users_.of(id)) {
    const std::vector<size_t>& where = where_[user.value - first_];
    if (IsUnfused(user)) all_later = all_later && static_cast<int64_t>(user.value) > position;
    for (const size_t reader : where) {
      all_later = all_later && (reader == cluster || clusters_[reader].position() > position);
    }
  }
  if (all_later) return true;
  // Everything else it reads must be produced earlier.
  const auto own = static_cast<int64_t>(id.value);
  for (const uint32_t input : clusters_[cluster].inputs()) {
    if (InstId(input) != id && PositionOf(InstId(input)) >= own) return false;
  }
  clusters_[cluster].set_position(own);
  return true;
}

std::vector<InstId> FusionPartition::RowValues(InstId id) const {
  constexpr size_t kMaxValues = 32;
  const int64_t rows = ElementsOf(module_, id);
  std::vector<InstId> found = {id};
  bool any = false;
  for (size_t i = 0; i < found.size() && found.size() < kMaxValues; ++i) {
    const FusedOp op = FusedOpOf(module_, found[i]);
    if (op == FusedOp::kReduce) any = any || ReduceShapeOf(module_, found[i]).is_row;
    if (op != FusedOp::kElementwise && module_.inst(found[i]).opcode != Opcode::kBitcast) continue;
    for (const InstId operand : module_.operands_of(module_.inst(found[i]))) {
      const FusedOp from = FusedOpOf(module_, operand);
      const bool goes_on = from == FusedOp::kElementwise || from == FusedOp::kReduce ||
                           module_.inst(operand).opcode == Opcode::kBitcast;
      if (!goes_on || ElementsOf(module_, operand) != rows) continue;
      if (std::ranges::find(found, operand) == found.end()) found.push_back(operand);
    }
  }
  if (!any) return {};
  std::ranges::sort(found, std::ranges::greater());
  return found;
}

// Adds `id` to `trial`, a copy of the reader, either alone or with the row reductions it is
// computed from.
bool FusionPartition::AddAsResult(InstId id, const Reader& reader, Cluster& trial,
                                  std::vector<InstId>& added) {
  std::string_view why = "it has neither the shape of the kernel nor of its rows";
  if (trial.MayBeRoot(id)) {
    if (trial.Add(id, reader.maps, true, why)) {
      added = {id};
      return true;
    }
  } else if (trial.IsPerRow(reader.maps)) {
    for (const InstId value : RowValues(id)) {
      const std::span<const InstId> users = users_.of(value);
      const bool inside =
          value == id || std::ranges::all_of(users, [&](InstId user) {
            return trial.contains(user) && (where_[user.value - first_].size() <= 1);
          });
      const std::optional<Cluster::Maps> maps = trial.Reads(value, users);
      if (!inside || !maps || !trial.Add(value, *maps, value == id, why)) continue;
      added.push_back(value);
    }
    if (trial.form() == KernelForm::kRow && !added.empty() && added[0] == id) return true;
  }
  Note("do not fuse", id, trial, why);
  added.clear();
  return false;
}

bool FusionPartition::PutAsResult(InstId id, const std::vector<Reader>& readers) {
  std::vector<Reader> sorted = readers;
  std::ranges::sort(sorted, [](const Reader& a, const Reader& b) {
    return a.count != b.count ? a.count > b.count : a.cluster < b.cluster;
  });
  const auto elements = static_cast<double>(ElementsOf(module_, id));
  for (const Reader& reader : sorted) {
    Cluster& cluster = clusters_[reader.cluster];
    if (cluster.contains(id) || reader.count > 1.01 * elements) continue;
    Cluster trial = cluster;
    std::vector<InstId> added;
    if (!AddAsResult(id, reader, trial, added)) continue;
    if (!MayMove(id, reader.cluster)) {
      Note("do not fuse", id, cluster, "its operands come too late");
      continue;
    }
    trial.set_position(cluster.position());
    std::swap(cluster, trial);
    for (const InstId each : added) where_[each.value - first_].push_back(reader.cluster);
    result_of_[id.value - first_] = reader.cluster;
    Note("fuse", id, cluster, "read here, and a result for others");
    return true;
  }
  return false;
}

void FusionPartition::Begin(InstId id) {
  if (module_.inst(id).opcode == Opcode::kReduce) {
    const ReduceShape shape = ReduceShapeOf(module_, id);
    const bool is_tuple = module_.shapes.is_tuple(module_.inst(id).shape);
    const bool small = shape.folded <= kSmallFold && !is_tuple;
    if (!shape.is_row && !shape.is_column && !small) return;
  }
  clusters_.emplace_back(module_, id, static_cast<int64_t>(id.value));
  gone_.push_back(false);
  where_[id.value - first_].push_back(clusters_.size() - 1);
  result_of_[id.value - first_] = clusters_.size() - 1;
}

// Some readers load it from memory. Those that can compute it from fewer bytes do so.
void FusionPartition::Share(InstId id, const std::vector<Reader>& readers) {
  const Inst& inst = module_.inst(id);
  if (OpCost(inst.opcode) > 0 || inst.opcode == Opcode::kBitcast) return;
  double operand_bytes = 0;
  for (const InstId operand : module_.operands_of(inst)) {
    operand_bytes += BytesOf(module_, operand);
  }
  if (operand_bytes * 2 > BytesOf(module_, id) && inst.opcode != Opcode::kConstant) return;
  for (const Reader& reader : readers) {
    std::string_view why;
    if (clusters_[reader.cluster].contains(id)) continue;
    if (clusters_[reader.cluster].Add(id, reader.maps, false, why)) {
      where_[id.value - first_].push_back(reader.cluster);
      Note("fuse", id, clusters_[reader.cluster], "less to read");
    }
  }
}

void FusionPartition::Place(InstId id) {
  const FusedOp op = FusedOpOf(module_, id);
  if (op == FusedOp::kNone || !where_[id.value - first_].empty()) return;
  const bool is_tuple = module_.shapes.is_tuple(module_.inst(id).shape);
  std::vector<Reader> readers;
  const bool all = FindReaders(id, readers);
  if (op != FusedOp::kUpdate && !is_tuple && !readers.empty()) {
    if (all && PaysInside(id, readers) && PutInside(id, readers)) return;
    if (!IsFree(module_.inst(id).opcode) && PutAsResult(id, readers)) return;
  }
  // Free instructions need no kernel.
  if (IsFree(module_.inst(id).opcode)) {
    outside_[id.value - first_] = true;
  } else {
    Begin(id);
  }
  if (op != FusedOp::kUpdate && !is_tuple) Share(id, readers);
}

bool FusionPartition::MaySiblingsMerge(const Cluster& a, const Cluster& b) const {
  if (a.form() != b.form() || a.form() == KernelForm::kUpdate) return false;
  const ShapeTable& shapes = module_.shapes;
  if (!a.MayBeRoot(b.roots()[0])) return false;
  if (a.reduction().has_value()) {
    const ReduceShape& left = *a.reduction();
    const ReduceShape& right = *b.reduction();
    if (left.kept != right.kept || !SameUpToOnes(shapes, left.input, right.input)) return false;
  }
  for (const InstId root : a.roots()) {
    if (shapes.is_tuple(module_.inst(root).shape)) return false;
  }
  for (const InstId root : b.roots()) {
    if (shapes.is_tuple(module_.inst(root).shape)) return false;
  }
  return true;
}

bool FusionPartition::TryMerge(size_t earlier, size_t later) {
  if (clusters_[earlier].position() > clusters_[later].position()) std::swap(earlier, later);
  Cluster& a = clusters_[earlier];
  Cluster& b = clusters_[later];
  if (!MaySiblingsMerge(a, b)) return false;
  const int64_t first = a.position();
  const int64_t last = b.position();
  int64_t position = 0;
  if (!ReadBefore(earlier, last, kNone)) {
    position = last;
  } else if (!NeedsAfter(later, first, kNone)) {
    position = first;
  } else {
    return false;
  }
  if (!a.Merge(b)) return false;
  a.set_position(position);
  gone_[later] = true;
  for (const InstId node : b.nodes()) {
    std::vector<size_t>& where = where_[node.value - first_];
    std::ranges::replace(where, later, earlier);
    std::ranges::sort(where);
    where.erase(std::unique(where.begin(), where.end()), where.end());
  }
  for (const InstId root : b.roots()) result_of_[root.value - first_] = earlier;
  Note("fuse", b.roots()[0], a, "same shape and operands");
  return true;
}

// Kernels of the same shape that read the same arrays are merged to read them once; tiny kernels
// are merged to save a launch.
void FusionPartition::MergeSiblings() {
  constexpr size_t kCandidates = 8;
  std::unordered_map<uint32_t, std::vector<size_t>> readers_of;
  std::unordered_map<uint32_t, std::vector<size_t>> tiny;  // by element count
  for (size_t i = 0; i < clusters_.size(); ++i) {
    const Cluster& cluster = clusters_[i];
    if (cluster.form() == KernelForm::kUpdate) continue;
    const int64_t domain = module_.shapes.ElementCount(cluster.domain()).value_or(INT64_MAX);
    std::vector<size_t> candidates;
    for (const uint32_t input : cluster.inputs()) {
      // A shared scalar is not a reason to merge.
      if (ElementsOf(module_, InstId(input)) * 4 < domain) continue;
      std::vector<size_t>& readers = readers_of[input];
      candidates.insert(candidates.end(), readers.begin(), readers.end());
      readers.push_back(i);
      if (readers.size() > kCandidates) readers.erase(readers.begin());
    }
    if (domain <= kTinyDomain) {
      std::vector<size_t>& alike = tiny[static_cast<uint32_t>(domain)];
      candidates.insert(candidates.end(), alike.begin(), alike.end());
      alike.push_back(i);
      if (alike.size() > kCandidates) alike.erase(alike.begin());
    }
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const size_t candidate : candidates) {
      if (candidate == i || gone_[candidate] || gone_[i]) continue;
      if (TryMerge(candidate, i)) break;
    }
  }
}

}  // namespace halo
