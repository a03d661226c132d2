// Which instructions of a computation become one kernel. Works from results back to what they are
// made of: an instruction joins the kernels that read it where that saves more traffic than it
// costs work, becomes one more result of one of them where it is needed elsewhere too, or begins a
// kernel of its own.
#ifndef HALO_PASSES_FUSION_FUSION_PARTITION_H_
#define HALO_PASSES_FUSION_FUSION_PARTITION_H_

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/passes/fusion/fusion_cluster.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

class FusionPartition {
 public:
  FusionPartition(const Module& module, const Users& users, CompId comp, PassLog& log);

  // Of more than one instruction.
  [[nodiscard]] std::vector<const Cluster*> clusters() const;

 private:
  // A cluster that reads a value, and how.
  struct Reader {
    size_t cluster;
    Cluster::Maps maps;
    double count;
  };

  void Place(InstId id);
  // The clusters that read `id`; false if some other instruction does as well.
  bool FindReaders(InstId id, std::vector<Reader>& readers);
  [[nodiscard]] bool PaysInside(InstId id, const std::vector<Reader>& readers) const;
  bool PutInside(InstId id, const std::vector<Reader>& readers);
  bool PutAsResult(InstId id, const std::vector<Reader>& readers);
  // Values of rows from `id` back to the reductions they come from, later ones first.
  [[nodiscard]] std::vector<InstId> RowValues(InstId id) const;
  bool AddAsResult(InstId id, const Reader& reader, Cluster& trial, std::vector<InstId>& added);
  [[nodiscard]] bool MayMove(InstId id, size_t cluster);
  void Begin(InstId id);
  void Share(InstId id, const std::vector<Reader>& readers);
  void MergeSiblings();
  bool TryMerge(size_t earlier, size_t later);
  [[nodiscard]] int64_t PositionOf(InstId id) const;
  [[nodiscard]] bool ReadBefore(size_t cluster, int64_t position, size_t except) const;
  [[nodiscard]] bool NeedsAfter(size_t cluster, int64_t position, size_t except) const;
  [[nodiscard]] bool MaySiblingsMerge(const Cluster& a, const Cluster& b) const;
  void Note(std::string_view what, InstId id, const Cluster& cluster, std::string_view why);

  const Module& module_;
  const Users& users_;
  PassLog& log_;
  uint32_t first_;
  std::deque<Cluster> clusters_;
  std::vector<bool> gone_;                  // clusters merged into others
  std::vector<std::vector<size_t>> where_;  // clusters that compute an instruction
  std::vector<bool> outside_;               // free ones that stand outside as well
  std::vector<size_t> result_of_;           // the cluster whose result it is; kNone
};

}  // namespace halo

#endif  // HALO_PASSES_FUSION_FUSION_PARTITION_H_
