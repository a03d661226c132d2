// Names are tried first as positions, then as parameter names.
#include "halo/api/inputs/input_archives.h"

#include <utility>

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/inputs/array_file.h"

namespace halo {

size_t InputArchives::Archive::size() const {
  return std::visit([](const auto& each) { return each.size(); }, reader);
}

std::string_view InputArchives::Archive::name(size_t member) const {
  return std::visit([member](const auto& each) { return each.name(member); }, reader);
}

Result<NpyHeader> InputArchives::Archive::Describe(size_t member) const {
  return std::visit([member](const auto& each) { return each.Describe(member); }, reader);
}

Result<NpyArray> InputArchives::Archive::Read(size_t member) const {
  return std::visit([member](const auto& each) { return each.Read(member); }, reader);
}

InputArchives::InputArchives(std::vector<std::string> names, std::vector<std::string> abouts,
                             int64_t devices, Diagnostics& diagnostics)
    : abouts_(std::move(abouts)), devices_(devices), diagnostics_(diagnostics) {
  found_.assign(names.size(), std::vector<Found>(static_cast<size_t>(devices) + 1));
  for (size_t i = 0; i < names.size(); ++i) by_name_.emplace(std::move(names[i]), i);
}

void InputArchives::Fail(DiagCode code, std::string message) {
  diagnostics_.Add(MakeBinaryDiagnostic(code, 0, std::move(message)));
}

void InputArchives::FailIn(const std::string& path, Diagnostic why) {
  why.message = path + ": " + why.message;
  diagnostics_.Add(std::move(why));
}

std::string InputArchives::TextOf(const Found& found) const {
  const Archive& archive = archives_[found.archive];
  const std::string_view name = archive.name(found.member);
  return archive.path + (name.empty() ? "" : ": " + std::string(name));
}

void InputArchives::Open(std::span<const std::string> files, std::span<const InputArray> arrays) {
  for (const std::string& path : files) {
    Result<SourceBuffer> source = SourceBuffer::Open(path);
    if (!source) {
      Diagnostic why = source.error();
      why.help = "check the path that --inputs names and its permissions";
      diagnostics_.Add(std::move(why));
      continue;
    }
    const auto add = [&](auto reader) {
      if (!reader) return FailIn(path, reader.error());
      archives_.push_back({path, std::move(*source), std::move(*reader)});
    };
    if (SafetensorsReader::IsLikely(source->bytes())) {
      add(SafetensorsReader::Open(source->bytes()));
    } else {
      add(NpzReader::Open(source->bytes()));
    }
  }
  if (!arrays.empty()) {
    archives_.push_back({"inputs", SourceBuffer::Copy({}, "inputs"), GivenArrays(arrays)});
  }
  for (size_t a = 0; a < archives_.size(); ++a) {
    for (size_t i = 0; i < archives_[a].size(); ++i) Match(a, i);
  }
}

std::optional<ArrayName> InputArchives::NameToLeaf(std::string_view name) const {
  if (name.empty()) return ArrayName{};
  for (const std::string_view prefix : {"in", "arg", ""}) {
    std::optional<ArrayName> parsed = ParseArrayName(name, prefix);
    if (parsed && parsed->leaf < found_.size()) return parsed;
  }
  if (name.starts_with('%')) name.remove_prefix(1);
  const auto whole = by_name_.find(std::string(name));
  if (whole != by_name_.end()) return ArrayName{whole->second, std::nullopt};
  const DeviceSuffix split = SplitDevice(name);
  const auto stem = by_name_.find(std::string(split.stem));
  if (stem != by_name_.end()) return ArrayName{stem->second, split.device};
  return std::nullopt;
}

void InputArchives::Match(size_t archive, size_t member) {
  const Archive& reader = archives_[archive];
  // Archives of a whole run also contain its results.
  if (ParseArrayName(reader.name(member), "out")) return;
  Found found{archive, member, {}};
  const std::optional<ArrayName> to = NameToLeaf(reader.name(member));
  if (!to || to->leaf >= found_.size()) {
    std::string has = std::to_string(found_.size());
    if (!found_.empty()) has += " (in_0 to in_" + std::to_string(found_.size() - 1) + ")";
    return Fail(diag::kInputUnknown, TextOf(found) + " is not a parameter; the module has " + has);
  }
  if (to->device && *to->device >= devices_) {
    return Fail(diag::kInputUnknown, TextOf(found) + " is for device " +
                                         std::to_string(*to->device) + " of " +
                                         std::to_string(devices_));
  }
  Result<NpyHeader> header = reader.Describe(member);
  if (!header) return FailIn(archives_[archive].path, header.error());
  found.header = std::move(*header);
  Found& slot = found_[to->leaf][to->device ? static_cast<size_t>(*to->device) + 1 : 0];
  if (!slot.empty()) {
    return Fail(diag::kInputTwice, abouts_[to->leaf] + " is specified more than once: by " +
                                       TextOf(slot) + " and by " + TextOf(found));
  }
  slot = std::move(found);
}

Array InputArchives::Read(const Found& found, ElementType type) {
  Result<NpyArray> array = archives_[found.archive].Read(found.member);
  if (array) return ArrayFrom(*array, type);
  FailIn(PathOf(found), array.error());
  return {};
}

}  // namespace halo
