// Opens files for users of the library, and finds what they contain besides modules.
#include "haloscope/document.h"

#include <utility>

#include "halo/api/memory/memory_inputs.h"
#include "halo/dump/open_file.h"
#include "halo/public/document_state.h"

namespace halo::v0 {
namespace {

// The source is kept for the lines of findings and for pieces of assignments.
OpenOptions OptionsOf(const OpenRequest& request) {
  return {.threads = request.threads < 1 ? 1 : request.threads, .keep_source = true};
}

}  // namespace

DocumentState::DocumentState(halo::Document opened)
    : document(std::make_shared<halo::Document>(std::move(opened))),
      users_(document->modules.size()) {}

const Users& DocumentState::UsersOf(uint32_t module) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Users>& users = users_[module];
  if (!users) users = std::make_unique<Users>(document->modules[module].module);
  return *users;
}

const std::shared_ptr<const halo::Document>& OpenedFile(const Document& document) {
  static const auto kEmpty = std::make_shared<const halo::Document>();
  return document.state() == nullptr ? kEmpty : document.state()->document;
}

const std::string& Document::path() const { return OpenedFile(*this)->path; }

std::string_view Document::kind() const { return TextOf(OpenedFile(*this)->kind); }

uint64_t Document::byte_size() const { return OpenedFile(*this)->bytes; }

bool Document::ok() const { return OpenedFile(*this)->errors() == 0; }

std::vector<Diagnostic> Document::diagnostics() const {
  return PublicDiagnostics(*OpenedFile(*this));
}

std::vector<ModuleView> Document::modules() const {
  std::vector<ModuleView> modules;
  const size_t count = OpenedFile(*this)->modules.size();
  for (size_t i = 0; i < count; ++i) modules.push_back({state_, static_cast<uint32_t>(i)});
  return modules;
}

Document OpenPath(const std::string& path, const OpenRequest& request) {
  const auto state = std::make_shared<DocumentState>(OpenDocument(path, OptionsOf(request)));
  state->is_file = path != "-";
  return Document(state);
}

Document OpenBytes(std::string_view bytes, const std::string& name, const OpenRequest& request) {
  const auto owner = std::make_shared<std::string>(bytes);
  owner->append(SourceBuffer::kPadding, '\0');
  Result<SourceBuffer> source = SourceBuffer::Adopt(owner, {owner->data(), bytes.size()}, name);
  return Document(
      std::make_shared<DocumentState>(ReadDocument(std::move(source), name, OptionsOf(request))));
}

std::vector<Document> OpenRelated(const Document& document, const OpenRequest& request) {
  std::vector<Document> related;
  if (document.state() == nullptr || !document.state()->is_file) return related;
  bool has_module = !OpenedFile(document)->modules.empty();
  for (const std::string& name : NamesBeside(document.path())) {
    if (name == document.path() || !DumpFileExists(name)) continue;
    // A compressed copy, or the module as a proto next to its text, adds nothing new.
    halo::Document opened = OpenDocument(name, OptionsOf(request));
    opened.is_found = true;
    Document found(std::make_shared<DocumentState>(std::move(opened)));
    const bool is_module = !OpenedFile(found)->modules.empty();
    const bool is_piece = OpenedFile(found)->memory && !OpenedFile(found)->memory->report;
    if ((is_module && has_module) || (!is_module && !is_piece)) continue;
    bool is_known = found.kind() == document.kind();
    for (const Document& each : related) is_known = is_known || each.kind() == found.kind();
    if (is_known) continue;
    has_module = has_module || is_module;
    related.push_back(std::move(found));
  }
  return related;
}

}  // namespace halo::v0
