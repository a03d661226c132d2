// Which device a program was compiled for, with the reason. The dump's description of its target
// decides; without it, the name of the file, what the autotuner printed, and what compilers write
// for one device only.
#ifndef HALO_COST_DEVICE_INFER_DEVICE_H_
#define HALO_COST_DEVICE_INFER_DEVICE_H_

#include <optional>
#include <string>
#include <string_view>

#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"

namespace halo {

struct DeviceClues {
  std::optional<Backend> backend = {};
  std::string_view file_name = {};      // of the module, without folders
  std::string_view target_config = {};  // gpu_target_config.pbtxt, or empty
  std::string_view autotuned_on = {};   // "sm_8.0 with 42505273344B RAM, ...", or empty
};

struct DeviceGuess {
  std::string name;        // one that FindTimeDevice knows
  std::string why;         // "the dump's target is an NVIDIA A100-SXM4-40GB"
  bool is_certain = true;  // false: an assumption
};

DeviceGuess InferDevice(const Module& module, const DeviceClues& clues);

}  // namespace halo

#endif  // HALO_COST_DEVICE_INFER_DEVICE_H_
