// Times that XLA's autotuner measured while it compiled the program, from the dump's
// autotune_results.pbtxt: for each library product, the time of the algorithm that won.
#ifndef HALO_COST_PREDICT_AUTOTUNE_H_
#define HALO_COST_PREDICT_AUTOTUNE_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

class AutotuneTable {
 public:
  // Entries that are not understood are skipped.
  explicit AutotuneTable(std::string_view text_proto);

  // Seconds; nothing if the instruction was not autotuned.
  [[nodiscard]] std::optional<double> Find(const Module& module, const Inst& inst) const;
  [[nodiscard]] size_t size() const { return seconds_.size(); }
  // "sm_8.0 with 42505273344B RAM, ..."; empty if unknown.
  [[nodiscard]] const std::string& device() const { return device_; }

 private:
  std::unordered_map<std::string, std::vector<double>> seconds_;  // by shapes and target
  std::string device_;
};

}  // namespace halo

#endif  // HALO_COST_PREDICT_AUTOTUNE_H_
