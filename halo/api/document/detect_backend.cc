// Clues, strongest first: custom-call targets, backend_config fields, tiled layouts, file names.
#include "halo/api/document/detect_backend.h"

#include <array>

#include "halo/memory/backend/backend_rules.h"

namespace halo {
namespace {

struct Clue {
  std::string_view text;
  Backend backend;
};

// Prefixes of custom-call targets.
constexpr std::array kTargets = {
    Clue{"__cublas$", Backend::kGpu},       Clue{"__cudnn$", Backend::kGpu},
    Clue{"__triton", Backend::kGpu},        Clue{"__cub$", Backend::kGpu},
    Clue{"__gpu$", Backend::kGpu},          Clue{"xla.gpu.", Backend::kGpu},
    Clue{"cusolver_", Backend::kGpu},       Clue{"cu_", Backend::kGpu},
    Clue{"cuda_", Backend::kGpu},           Clue{"hipsolver_", Backend::kGpu},
    Clue{"tpu_custom_call", Backend::kTpu}, Clue{"AllocateBuffer", Backend::kTpu},
    Clue{"ConcatBitcast", Backend::kTpu},   Clue{"AsyncCollectiveStart", Backend::kTpu},
    Clue{"X64Combine", Backend::kTpu},      Clue{"X64Split", Backend::kTpu},
    Clue{"lapack_", Backend::kCpu},         Clue{"blas_", Backend::kCpu},
    Clue{"__onednn$", Backend::kCpu},
};

// Field names of backend_config.
constexpr std::array kConfigFields = {
    Clue{"\"fusion_backend_config\"", Backend::kGpu},
    Clue{"\"gemm_backend_config\"", Backend::kGpu},
    Clue{"\"collective_backend_config\"", Backend::kGpu},
    Clue{"\"operation_queue_id\"", Backend::kGpu},
    Clue{"\"cudnn_conv_backend_config\"", Backend::kGpu},
    Clue{"\"scoped_memory_configs\"", Backend::kTpu},
    Clue{"\"flag_configs\"", Backend::kTpu},
    Clue{"\"window_config\"", Backend::kTpu},
    Clue{"\"outer_dimension_partitions\"", Backend::kCpu},
    Clue{"\"onednn_matmul_config\"", Backend::kCpu},
};

// Parts of dump file names.
constexpr std::array kFileNames = {
    Clue{"cpu_after_optimizations", Backend::kCpu},
    Clue{"gpu_after_optimizations", Backend::kGpu},
    Clue{".cl_", Backend::kTpu},
};

BackendGuess FromAttributes(const Module& module) {
  BackendGuess from_config;
  for (uint32_t list = 0; list < module.attr_lists.size(); ++list) {
    for (const Attr& attr : module.attrs_of(AttrListId(list))) {
      if (attr.key == AttrKey::k_custom_call_target) {
        const std::string_view target = module.text(StrId(attr.value));
        for (const Clue& clue : kTargets) {
          if (target.starts_with(clue.text)) {
            return {clue.backend, "custom call " + std::string(target.substr(0, 60))};
          }
        }
      }
      if (attr.key == AttrKey::k_backend_config && !from_config.backend) {
        const std::string_view config = module.text(StrId(attr.value));
        for (const Clue& clue : kConfigFields) {
          if (config.find(clue.text) == std::string_view::npos) continue;
          from_config.backend = clue.backend;
          from_config.why =
              "backend_config with " + std::string(clue.text.substr(1, clue.text.size() - 2));
          break;
        }
      }
      if (attr.key == AttrKey::k_outer_dimension_partitions && !from_config.backend) {
        from_config = {Backend::kCpu, "outer_dimension_partitions"};
      }
    }
  }
  return from_config;
}

BackendGuess FromLayouts(const Module& module) {
  for (uint32_t id = 0; id < module.shapes.size(); ++id) {
    const Layout* layout = module.shapes.layout(ShapeId(id));
    if (layout == nullptr || layout->tiles.empty()) continue;
    return {Backend::kTpu, "tiled layouts, as in " + module.shapes.Text(ShapeId(id))};
  }
  return {};
}

}  // namespace

std::string_view BackendText(std::optional<Backend> backend) {
  return backend ? BackendName(*backend) : "unknown";
}

BackendGuess GuessBackend(const Module& module, std::string_view file_name) {
  BackendGuess guess = FromAttributes(module);
  if (guess.backend) return guess;
  guess = FromLayouts(module);
  if (guess.backend) return guess;
  const std::string_view base = file_name.substr(file_name.rfind('/') + 1);
  for (const Clue& clue : kFileNames) {
    if (base.find(clue.text) == std::string_view::npos) continue;
    return {clue.backend, "only by its file name"};
  }
  guess.why = "nothing in it belongs to one backend";
  return guess;
}

}  // namespace halo
