// The result of `halo compile` as users see it.
#ifndef HALO_API_RUN_COMPILE_DOCUMENT_H_
#define HALO_API_RUN_COMPILE_DOCUMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/run/compiled_documents.h"
#include "haloscope/parts.h"

namespace halo {

namespace documents {

struct WrittenFile {
  std::string name;
  uint64_t bytes = 0;
};

template <class V>
void Fields(V& v, WrittenFile& r) {
  v("name", r.name, "the file");
  v("bytes", r.bytes, "", v0::Unit::kBytes);
}

struct CompileProgram {
  std::string name;
  int64_t instructions_before = 0, instructions = 0, fusions = 0, copies = 0;
  int64_t total_bytes = 0, heap_bytes = 0;
  std::string unsound;
  double seconds = 0;
  std::vector<WrittenFile> documents;
  std::vector<std::string> decisions;
};

template <class V>
void Fields(V& v, CompileProgram& r) {
  v("name", r.name, "of the module");
  v("instructions_before", r.instructions_before, "not counting fusions and other embedded code");
  v("instructions", r.instructions, "the same, after the passes");
  v("fusions", r.fusions, "how many");
  v("copies", r.copies, "how many");
  v("total_bytes", r.total_bytes, "of all allocations", v0::Unit::kBytes);
  v("heap_bytes", r.heap_bytes, "of temporaries", v0::Unit::kBytes);
  v("unsound", r.unsound, "what is wrong with the memory plan; empty if nothing is");
  v("seconds", r.seconds, "that compiling took");
  v("documents", r.documents, "what XLA would dump");
  v("decisions", r.decisions, "what the passes changed, and why; with `--decisions`");
}

struct CompileResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.compile.v1";

  std::string folder;
  std::vector<CompileProgram> programs;
};

template <class V>
void Fields(V& v, CompileResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("folder", r.folder, "of `--dump-to`; empty without it");
  v("programs", r.programs, "one for each module");
}

}  // namespace documents

// `folder` is where the documents were written; empty if nowhere.
documents::CompileResult CompileDocument(const CompileResult& result, const std::string& folder);
std::string CompileJson(const CompileResult& result, const std::string& folder);

}  // namespace halo

#endif  // HALO_API_RUN_COMPILE_DOCUMENT_H_
