// The C interface: the viewer's page with the files of a document embedded.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/api/report/report.h"
#include "halo/api/report/report_manifest.h"
#include "halo/base/io/gzip.h"
#include "halo/base/strings/base64.h"
#include "halo/dump/dump_name.h"
#include "halo/public/c_document.h"
#include "haloscope/c.h"

namespace {

std::string NameOf(std::string_view path) {
  return std::string(halo::WithoutCompression(path.substr(path.rfind('/') + 1)));
}

// Adds a file's bytes. Returns its index, or -1 if they were not kept or cannot be compressed.
int32_t AddPageFile(const halo::Document& document, halo::Manifest& manifest,
                    std::vector<std::string>& blocks) {
  if (!document.source) return -1;
  const std::string_view bytes = document.source->bytes();
  const halo::Result<std::string> compressed = halo::Gzip(bytes);
  if (!compressed) return -1;
  blocks.push_back(halo::Base64(*compressed));
  const std::string name = NameOf(document.path);
  manifest.files.push_back({name, halo::ParseDumpName(name).file_role, bytes.size()});
  return static_cast<int32_t>(blocks.size()) - 1;
}

}  // namespace

halo_status halo_page(halo_document* document, const char* page, size_t page_bytes,
                      const char* view, halo_result** result) {
  if (page == nullptr || view == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return halo::CallOn(document, [&](halo_document& self) {
    halo::Manifest manifest;
    manifest.view = view;
    std::vector<std::string> blocks;
    halo::ManifestProgram program;
    for (const auto& each : self.host.ViewOf(self.number)->documents()) {
      const int32_t file = AddPageFile(*each, manifest, blocks);
      if (file < 0) continue;
      if (each->modules.empty()) {
        program.assignment.push_back(file);
      } else if (program.file < 0) {
        program.file = file;
        const halo::Module& module = each->modules.front().module;
        program.module = module.text(module.name);
        program.stage = halo::ParseDumpName(NameOf(each->path)).stage;
      }
    }
    if (program.file < 0 && program.assignment.empty()) {
      return halo::FailWith(HALO_BAD_REQUEST, "there is nothing to show", self);
    }
    manifest.title = program.module;
    manifest.programs.push_back(std::move(program));
    auto made = std::make_unique<halo_result>();
    const bool written = halo::WritePage({page, page_bytes}, halo::ManifestJson(manifest), blocks,
                                         [&](std::string_view part) {
                                           made->json += part;
                                           return true;
                                         });
    if (!written) {
      return halo::FailWith(HALO_BAD_REQUEST, "this page has no marker for data", self);
    }
    *result = made.release();
    return HALO_OK;
  });
}
