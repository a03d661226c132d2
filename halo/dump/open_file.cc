// Splits a path into the part that is a real file and the name of a member inside it.
#include "halo/dump/open_file.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/io/tar.h"
#include "halo/dump/opened_archives.h"
#include "halo/dump/walk.h"
#include "halo/text/framing/framing.h"

namespace halo {
namespace {

bool IsRealFile(const std::string& path) {
  if (IsFolder(path)) return false;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  std::fclose(file);
  return true;
}

// Where the path of a real file ends in `path`, if more follows; npos otherwise.
size_t ContainerEnd(const std::string& path) {
  if (path == "-" || path.empty() || IsRealFile(path) || IsFolder(path)) return std::string::npos;
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    if (IsRealFile(path.substr(0, slash))) return slash;
  }
  return std::string::npos;
}

}  // namespace

Packed ListPacked(std::string_view bytes) {
  Packed packed;
  if (LooksLikeTar(bytes)) {
    TarListing listing = ListTar(bytes);
    packed.skipped = listing.skipped;
    packed.problem = std::move(listing.problem);
    for (TarMember& member : listing.members) {
      packed.files.push_back({std::move(member.name), member.offset, member.size});
    }
    return packed;
  }
  std::map<std::string_view, int> times;
  for (const TextFrame& frame : ListFrames(bytes)) {
    // A program that is compiled twice prints the same names again.
    const int time = ++times[frame.name];
    std::string name(frame.name);
    std::replace(name.begin(), name.end(), '/', '_');
    if (time > 1) name = std::to_string(time) + "/" + name;
    packed.files.push_back({std::move(name), frame.begin, frame.end - frame.begin});
  }
  return packed;
}

Result<SourceBuffer> OpenPacked(std::string_view container, const PackedFile& file,
                                std::string name) {
  const std::string_view bytes = container.substr(file.offset, file.bytes);
  auto copy = std::make_shared<std::string>(bytes);
  copy->append(SourceBuffer::kPadding, '\0');
  const std::string_view view = std::string_view(*copy).substr(0, bytes.size());
  return SourceBuffer::Adopt(std::move(copy), view, std::move(name));
}

Result<SourceBuffer> OpenDumpFile(const std::string& path) {
  const size_t end = ContainerEnd(path);
  if (end == std::string::npos) return SourceBuffer::Open(path);
  const auto archive = OpenArchive(path.substr(0, end));
  if (!archive) return archive.error();
  const PackedFile* found = (*archive)->Find(std::string_view(path).substr(end + 1));
  if (found == nullptr) {
    return MakeBinaryDiagnostic(
        diag::kCannotOpen, 0,
        "cannot open " + path + ": there is no such file in " + path.substr(0, end));
  }
  return OpenPacked((*archive)->source.bytes(), *found, path);
}

bool DumpFileExists(const std::string& path) {
  const size_t end = ContainerEnd(path);
  if (end == std::string::npos) return IsRealFile(path);
  const auto archive = OpenArchive(path.substr(0, end));
  return archive && (*archive)->Find(std::string_view(path).substr(end + 1)) != nullptr;
}

}  // namespace halo
