// Runs many modules in one process, each as `halo run` would, for measurements that need thousands.
// Reads lines of module, inputs and output archive, separated by tabs, from standard input. Prints
// one line for each: "ok", or why it did not run.
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "halo/api/run/run.h"

namespace {

std::string RunOne(const std::string& module, const std::string& inputs,
                   const std::string& output) {
  halo::RunRequest request;
  request.module = module;
  if (inputs != "-") request.inputs.push_back(inputs);
  const halo::RunResult result = halo::RunProgram(request);
  if (!result.has_results) {
    const auto& unread = result.document.AllDiagnostics();
    if (!unread.empty()) return unread.front()->message;
    const auto& found = result.diagnostics.all();
    return found.empty() ? "no results" : found.front().message;
  }
  std::FILE* file = std::fopen(output.c_str(), "wb");
  if (file == nullptr) return "cannot write " + output;
  const bool written = halo::WriteOutputs(result, [file](std::string_view bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  });
  return std::fclose(file) == 0 && written ? "ok" : "cannot write " + output;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) return 2;
    std::string said = RunOne(line.substr(0, first), line.substr(first + 1, second - first - 1),
                              line.substr(second + 1));
    for (char& c : said) {
      if (c == '\n') c = ' ';
    }
    std::cout << said << '\n';
  }
  return 0;
}
