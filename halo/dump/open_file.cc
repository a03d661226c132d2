// Splits a path into the part that is a real file and the name of a member inside it.
#include "halo/dump/open_file.h"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <map>
#include <unistd.h>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/io/tar.h"
#include "halo/dump/opened_archives.h"
#include "halo/dump/walk.h"
#include "halo/profile/xplane.h"
#include "halo/text/framing/framing.h"

namespace halo {
namespace {

bool IsRealFile(const std::string& path) {
  if (IsFolder(path)) return false;
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  return file >= 0 && close(file) == 0;
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

// A name like those of a dump. Profilers record programs as they were compiled.
std::string EmbeddedName(const EmbeddedProgram& program) {
  constexpr size_t kMostName = 200;
  constexpr size_t kDigits = 4;
  std::string name = program.name.substr(0, kMostName);
  std::replace(name.begin(), name.end(), '/', '_');
  if (name.empty()) name = "program";
  std::string number = std::to_string(program.id.value_or(0));
  const std::string ending = ".after_optimizations.hlo.pb";
  // A TPU's ids are fingerprints, which may be larger than the number of any module.
  if (program.id.value_or(0) > static_cast<uint64_t>(INT64_MAX)) {
    return name + "(" + number + ")" + ending;
  }
  number.insert(0, kDigits - std::min(kDigits, number.size()), '0');
  return "module_" + number + "." + name + ending;
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
  if (LooksLikeXSpace(bytes)) {
    packed.is_profile = true;
    for (const EmbeddedProgram& each : ListEmbeddedPrograms(bytes)) {
      packed.files.push_back({EmbeddedName(each),
                              static_cast<uint64_t>(each.proto.data() - bytes.data()),
                              each.proto.size()});
    }
    return packed;
  }
  packed.is_capture = true;
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

Result<SourceBuffer> OpenDumpFile(const std::string& path, const std::string& folder) {
  const size_t end = ContainerEnd(path);
  if (end == std::string::npos) {
    return folder.empty() ? SourceBuffer::Open(path) : SourceBuffer::OpenBelow(folder, path);
  }
  const auto archive = OpenArchive(path.substr(0, end), folder);
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
