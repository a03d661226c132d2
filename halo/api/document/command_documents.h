// Documents of commands whose result is a file, an address or a few facts, and the one about a
// command that has no result.
#ifndef HALO_API_DOCUMENT_COMMAND_DOCUMENTS_H_
#define HALO_API_DOCUMENT_COMMAND_DOCUMENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/parts.h"

namespace halo::documents {

// A file that `halo fmt` read.
struct FormattedFile {
  std::string path;
  bool readable = false, changed = false;
};

template <class V>
void Fields(V& v, FormattedFile& r) {
  v("path", r.path, "");
  v("readable", r.readable, "it was formatted");
  v("changed", r.changed, "it was in another style");
}

struct FmtResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.fmt.v1";
  std::string style;
  std::vector<FormattedFile> files;
};

template <class V>
void Fields(V& v, FmtResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("style", r.style, "as requested", v0::Choices{"style"});
  v("files", r.files, "each input");
}

struct ConvertResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.convert.v1";
  std::string output, to;
  uint64_t bytes = 0;
};

template <class V>
void Fields(V& v, ConvertResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("output", r.output, "the file, or `-`");
  v("to", r.to, "what it holds", v0::Choices{"convert_target"});
  v("bytes", r.bytes, "of the output", v0::Unit::kBytes);
}

struct ReportResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.report.v1";
  std::string output;
  uint64_t bytes = 0, programs = 0, files = 0, left_out = 0;
  bool redacted = false;
};

template <class V>
void Fields(V& v, ReportResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("output", r.output, "the HTML file");
  v("bytes", r.bytes, "its size", v0::Unit::kBytes);
  v("programs", r.programs, "how many it shows");
  v("files", r.files, "how many it contains");
  v("left_out", r.left_out, "programs that exceed `--max-size`");
  v("redacted", r.redacted, "names, paths, sources, strings and constants were removed");
}

struct ViewResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.view.v1";
  std::string url;
  int32_t port = 0;
};

template <class V>
void Fields(V& v, ViewResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("url", r.url, "what to open in a browser");
  v("port", r.port, "on the loopback interface");
}

struct McpResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.mcp.v1";
  std::string url;
  int32_t port = 0;
  std::string token;
};

template <class V>
void Fields(V& v, McpResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("url", r.url, "where clients connect");
  v("port", r.port, "on the loopback interface");
  v("token", r.token, "for the header `Authorization: Bearer`");
}

struct LspResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.lsp.v1";
  std::vector<std::string> methods;
};

template <class V>
void Fields(V& v, LspResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("methods", r.methods, "the requests that it answers");
}

// The other fields are those of the request's result.
struct AskResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.ask.v1";
  bool ok = false;
  std::string error;
};

template <class V>
void Fields(V& v, AskResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("ok", r.ok, "it has a result");
  v("error", r.error, "why it failed", v0::FieldFlag::kIfAny);
}

struct ErrorResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.error.v1";
  std::string command;
  int32_t exit_code = 0;
};

template <class V>
void Fields(V& v, ErrorResult& r) {
  v("command", r.command, "empty if the command line names none");
  v("exit_code", r.exit_code, "of the process");
  Fields(v, static_cast<v0::ResultParts&>(r));
}

}  // namespace halo::documents

#endif  // HALO_API_DOCUMENT_COMMAND_DOCUMENTS_H_
