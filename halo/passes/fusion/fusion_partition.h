// Decides which instructions of a computation become one kernel. Works backwards from results to
// their producers: an instruction joins the kernels that read it where that saves more traffic than
// it costs work, becomes an additional result of one of them if it is needed elsewhere too, or
// starts a separate kernel.
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

  // Clusters of more than one instruction.
  [[nodiscard]] std::vector<const Cluster*> clusters() const;

 private:
  // A cluster that reads a value, and the maps through which it does.
  struct Reader {
    size_t cluster;
    Cluster::Maps maps;
    double count;
  };

  void Place(InstId id);
  // Finds the clusters that read `id`. Returns false if another instruction reads it as well.
  bool FindReaders(InstId id, std::vector<Reader>& readers);
  [[nodiscard]] bool PaysInside(InstId id, const std::vector<Reader>& readers) const;
  bool PutInside(InstId id, const std::vector<Reader>& readers);
  bool PutAsResult(InstId id, const std::vector<Reader>& readers);
  // The per-row values from `id` back to the reductions they are computed from, later ones first.
  [[nodiscard]] std::vector<InstId> RowValues(InstId id) const;
  bool AddAsResult(InstId id, const Reader& reader, Cluster& trial, std::vector<InstId>& added);
  [[nodiscard]] bool MayMove(InstId id, size_t cluster);
  void Begin(InstId id);
  void Share(InstId id, const std::vector<Reader>& readers);
  void MergeSiblings();
  bool TryMerge(size_t earlier, size_t later);
  [[nodiscard]] int64_t PositionOf(InstId id) const;
  // It is computed at its own place, in no kernel or besides those that compute it.
  [[nodiscard]] bool IsUnfused(InstId id) const;
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
  std::vector<bool> outside_;               // free instructions also kept unfused
  std::vector<size_t> result_of_;           // the cluster whose result it is, or kNone
};

}  // namespace halo

#endif  // HALO_PASSES_FUSION_FUSION_PARTITION_H_
