// Keeps the container that was used last. Files are visited in the order of their paths, so each
// container is opened once.
#include "halo/dump/dump_reader.h"

#include <utility>

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {

std::string_view DumpReader::ContainerOf(std::string_view path) {
  if (dump_.root_is_file) return {};
  if (containers_.empty()) {
    for (const DumpFile& file : dump_.files) {
      const bool is_container =
          file.file_role == FileRole::kArchive || file.file_role == FileRole::kCapture;
      if (!file.is_packed && is_container) containers_.insert(file.path);
    }
  }
  for (size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (containers_.contains(path.substr(0, slash))) return path.substr(0, slash);
  }
  return {};
}

std::optional<Diagnostic> DumpReader::OpenContainer(std::string_view container) {
  if (source_ && open_ == container) return std::nullopt;
  std::string path = dump_.root;
  if (!container.empty()) path += "/" + std::string(container);
  source_.reset();
  members_.clear();
  Result<SourceBuffer> opened = SourceBuffer::Open(path);
  if (!opened) return opened.error();
  // The last of several members with one name wins, as when unpacking.
  for (PackedFile& each : ListPacked(opened->bytes()).files) {
    members_.insert_or_assign(each.name, each);
  }
  source_ = std::move(*opened);
  open_ = container;
  return std::nullopt;
}

Result<SourceBuffer> DumpReader::Open(int32_t file) {
  const DumpFile& wanted = dump_.files[static_cast<size_t>(file)];
  const std::string path = dump_.PathOf(file);
  if (!wanted.is_packed) return SourceBuffer::Open(path);
  const std::string_view container = ContainerOf(wanted.path);
  if (const std::optional<Diagnostic> problem = OpenContainer(container)) return *problem;
  const std::string_view name =
      std::string_view(wanted.path).substr(container.empty() ? 0 : container.size() + 1);
  const auto found = members_.find(std::string(name));
  if (found == members_.end()) {
    return MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                                "cannot open " + path + ": its archive has changed");
  }
  return OpenPacked(source_->bytes(), found->second, path);
}

}  // namespace halo
