// Loads the files that a list names, for programs that measure over many assignments. The list has
// one line per assignment with tab-separated fields: rules (cpu, gpu, tpu, any), the module's text
// or "-", then the pieces of the assignment.
#ifndef HALO_BENCH_ASSIGNMENT_LIST_H_
#define HALO_BENCH_ASSIGNMENT_LIST_H_

#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/io/source_buffer.h"
#include "halo/ir/module.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/memory/model/assignment.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/text/read/read_text.h"

namespace halo_bench {

struct ListLine {
  halo::CheckRules rules = halo::CheckRules::kAny;
  std::string module;
  std::vector<std::string> pieces;
};

struct LoadedAssignment {
  std::string name;
  halo::CheckRules rules = halo::CheckRules::kAny;
  halo::Assignment assignment;
  std::unique_ptr<halo::Module> module;  // null if the list names none
};

inline halo::CheckRules RulesFromText(std::string_view text) {
  if (text == "cpu") return halo::CheckRules::kCpu;
  if (text == "gpu") return halo::CheckRules::kGpu;
  return text == "tpu" ? halo::CheckRules::kTpu : halo::CheckRules::kAny;
}

inline std::vector<ListLine> ReadList(const char* path) {
  std::vector<ListLine> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    std::vector<std::string> fields(1);
    for (const char c : text) {
      if (c == '\t') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (fields.size() < 3) continue;
    lines.push_back({RulesFromText(fields[0]), fields[1], {fields.begin() + 2, fields.end()}});
  }
  return lines;
}

// Returns nothing, and prints a message, if a file cannot be read.
inline std::optional<LoadedAssignment> Load(const ListLine& line) {
  LoadedAssignment loaded{line.pieces.front(), line.rules, {}, nullptr};
  std::vector<halo::SourceBuffer> sources;
  std::vector<std::string_view> texts;
  sources.reserve(line.pieces.size());
  for (const std::string& piece : line.pieces) {
    auto source = halo::SourceBuffer::Open(piece.c_str());
    if (!source) {
      std::fprintf(stderr, "%s\n", source.error().message.c_str());
      return std::nullopt;
    }
    sources.push_back(std::move(*source));
    texts.push_back(sources.back().bytes());
  }
  halo::AssignmentReadResult read = halo::ReadAssignment(texts);
  if (!read.ok()) {
    std::fprintf(stderr, "%s: read with errors\n", loaded.name.c_str());
    return std::nullopt;
  }
  loaded.assignment = std::move(read.assignment);
  if (line.module == "-") return loaded;
  auto source = halo::SourceBuffer::Open(line.module.c_str());
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return std::nullopt;
  }
  loaded.module = std::make_unique<halo::Module>(std::move(halo::ReadHloText(*source).module));
  return loaded;
}

}  // namespace halo_bench

#endif  // HALO_BENCH_ASSIGNMENT_LIST_H_
