// Clues, strongest first: custom-call targets, fields of backend_config, tiled layouts, file names.
#include "halo/memory/backend/detect_backend.h"

#include <algorithm>

#include "halo/memory/backend/backend_description.h"

namespace halo {
namespace {

BackendGuess FromTarget(std::string_view target) {
  for (const BackendDescription* each : BackendDescriptions()) {
    for (const std::string_view clue : each->clues.call_targets) {
      if (target.starts_with(clue)) {
        return {each->backend, "custom call " + std::string(target.substr(0, 60))};
      }
    }
  }
  return {};
}

// Field names are searched with their quotes.
bool HasField(std::string_view config, std::string_view field) {
  for (size_t at = config.find(field); at != std::string_view::npos;
       at = config.find(field, at + 1)) {
    const size_t end = at + field.size();
    if (at > 0 && config[at - 1] == '"' && end < config.size() && config[end] == '"') return true;
  }
  return false;
}

BackendGuess FromConfig(std::string_view config) {
  for (const BackendDescription* each : BackendDescriptions()) {
    for (const std::string_view clue : each->clues.config_fields) {
      if (HasField(config, clue)) {
        return {each->backend, "backend_config with " + std::string(clue)};
      }
    }
  }
  return {};
}

BackendGuess FromAttributes(const Module& module) {
  BackendGuess from_config;
  for (uint32_t list = 0; list < module.attr_lists.size(); ++list) {
    for (const Attr& attr : module.attrs_of(AttrListId(list))) {
      if (attr.key == AttrKey::k_custom_call_target) {
        const BackendGuess guess = FromTarget(module.text(StrId(attr.value)));
        if (guess.backend) return guess;
      }
      if (attr.key == AttrKey::k_backend_config && !from_config.backend) {
        from_config = FromConfig(module.text(StrId(attr.value)));
      }
      if (attr.key == AttrKey::k_outer_dimension_partitions && !from_config.backend) {
        from_config = {Backend::kCpu, "outer_dimension_partitions"};
      }
    }
  }
  return from_config;
}

// The backend that uses tiled layouts.
std::optional<Backend> Tiler() {
  for (const BackendDescription* each : BackendDescriptions()) {
    if (each->clues.tiled_layouts) return each->backend;
  }
  return std::nullopt;
}

BackendGuess FromLayouts(const Module& module) {
  for (uint32_t id = 0; id < module.shapes.size(); ++id) {
    const Layout* layout = module.shapes.layout(ShapeId(id));
    if (layout == nullptr || layout->tiles.empty()) continue;
    return {Tiler(), "tiled layouts, as in " + module.shapes.Text(ShapeId(id))};
  }
  return {};
}

}  // namespace

BackendGuess DetectBackend(const Module& module, std::string_view file_name) {
  BackendGuess guess = FromAttributes(module);
  if (guess.backend) return guess;
  guess = FromLayouts(module);
  if (guess.backend) return guess;
  const std::string_view base = file_name.substr(file_name.rfind('/') + 1);
  for (const BackendDescription* each : BackendDescriptions()) {
    for (const std::string_view clue : each->clues.file_names) {
      if (base.find(clue) == std::string_view::npos) continue;
      return {each->backend, "only by its file name"};
    }
  }
  guess.why = "nothing in it belongs to one backend";
  return guess;
}

BackendGuess DetectBackend(const Assignment& assignment) {
  const bool is_tiled = std::any_of(
      assignment.values.begin(), assignment.values.end(), [&](const AssignedValue& value) {
        return assignment.text(value.shape).find(":T(") != std::string_view::npos;
      });
  if (is_tiled) return {Tiler(), "tiled layouts"};
  return {std::nullopt, "nothing in it belongs to one backend"};
}

}  // namespace halo
