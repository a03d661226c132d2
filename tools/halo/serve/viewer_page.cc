// Locates the page.
#include "tools/halo/serve/viewer_page.h"

#include <filesystem>
#include <utility>

#include "halo/api/report/report.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/diagnostics/result.h"
#include "halo/dump/open_file.h"
#include "halo/plugins/own_executable.h"
#include "halo/profile/read_profile.h"

namespace halo::tool {
namespace {

Result<SourceBuffer> FindPage(const std::string& given) {
  if (!given.empty()) return SourceBuffer::Open(given);
  std::error_code failed;
  const std::filesystem::path own = OwnExecutable();
  // In a build folder; from bin; from lib/haloscope/engine-VERSION.
  for (const char* up : {".", "..", "../../.."}) {
    const std::filesystem::path folder = own.parent_path() / up;
    const std::filesystem::path path = folder / "share" / "haloscope" / "viewer.html";
    if (std::filesystem::exists(path, failed)) return SourceBuffer::Open(path.string());
  }
  Diagnostic none =
      MakeBinaryDiagnostic(diag::kCannotOpen, 0, "the viewer's page is not installed");
  none.help = "build it with scripts/build_viewer, or specify it with --page";
  return none;
}

}  // namespace

std::optional<SourceBuffer> OpenViewerPage(const std::string& given, Session& session) {
  Result<SourceBuffer> page = FindPage(given);
  if (!page) {
    Refuse(page.error(), "halo", session);
    return std::nullopt;
  }
  if (!HasDataSlot(page->bytes())) {
    Diagnostic not_ours =
        MakeBinaryDiagnostic(diag::kCannotOpen, 0, "this page has no marker for data");
    not_ours.help = "build it with scripts/build_viewer";
    Refuse(not_ours, page->name(), session);
    return std::nullopt;
  }
  return std::move(*page);
}

bool ProfilesAreReadable(const std::vector<std::string>& paths, Session& session) {
  for (const std::string& path : paths) {
    const Result<SourceBuffer> source = OpenDumpFile(path);
    if (!source) {
      Refuse(source.error(), path, session);
      return false;
    }
    const Profile profile = ReadProfile(source->bytes(), path);
    if (profile.diagnostics.errors() == 0) continue;
    Refuse(profile.diagnostics.all().front(), path, session);
    return false;
  }
  return true;
}

std::string PolicyOf(std::string_view page) {
  constexpr std::string_view kName = "http-equiv=\"Content-Security-Policy\"";
  constexpr std::string_view kContent = "content=\"";
  const size_t head = page.find(kName);
  if (head != std::string_view::npos) {
    const size_t begin = page.find(kContent, head);
    const size_t end = page.find('>', head);
    if (begin < end) {
      const std::string_view policy = page.substr(begin + kContent.size());
      const std::string_view value = policy.substr(0, policy.find('"'));
      if (value.find_first_of("\r\n") == std::string_view::npos) return std::string(value);
    }
  }
  return "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src "
         "blob:; "
         "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self'; "
         "base-uri 'none'; form-action 'none'";
}

}  // namespace halo::tool
