// Interprets rows of nvtx_gpu_proj_trace, the report of Nsight Systems that nsys-jax makes: NVTX
// ranges of XLA, each with the time that its kernels took on the GPU. Reading the file that holds
// the rows, or computing them, is left to others.
#ifndef HALO_PROFILE_NSIGHT_TABLE_H_
#define HALO_PROFILE_NSIGHT_TABLE_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/profile/profile_data.h"

namespace halo {

struct NsightRow {
  std::string_view name;  // "TSL:Thunk:#hlo_op=fusion.3#"
  int64_t start = 0;      // nanoseconds on the GPU
  int64_t duration = 0;
  int64_t process = 0, thread = 0;
  int64_t kernels = 1;  // that ran within the range
  int64_t range = 0;
  std::string_view range_stack;  // ":1:5:9", the ranges around it and its own; must outlive this
};

class NsightTable {
 public:
  // Whether a range of this name is the execution of a program.
  static bool IsRun(std::string_view name);
  void Add(const NsightRow& row);
  Profile Take();

 private:
  ProfileBuilder builder_;
  std::vector<std::string_view> stacks_;        // one per event
  std::unordered_map<int64_t, uint32_t> runs_;  // by range
};

}  // namespace halo

#endif  // HALO_PROFILE_NSIGHT_TABLE_H_
