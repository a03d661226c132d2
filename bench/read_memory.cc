// Reads one module and reports the memory it takes once read: the process's resident memory after
// the text is freed, minus what it was before. Prints one JSON line.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <optional>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace {

long StatusKiB(const char* field) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  char line[256];
  long value = -1;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, field, std::strlen(field)) == 0)
      value = std::atol(line + std::strlen(field) + 1);
  }
  std::fclose(file);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: read_memory FILE THREADS\n");
    return 2;
  }
  malloc_trim(0);
  const long before = StatusKiB("VmRSS:");
  std::optional<halo::TextReadResult> result;
  size_t text_bytes = 0;
  double seconds = 0;
  {
    const auto source = halo::SourceBuffer::Open(argv[1]);
    if (!source) {
      std::fprintf(stderr, "%s\n", source.error().message.c_str());
      return 2;
    }
    text_bytes = source->bytes().size();
    const auto start = std::chrono::steady_clock::now();
    result = halo::ReadHloText(*source, {.threads = std::atoi(argv[2])});
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  malloc_trim(0);
  const long after = StatusKiB("VmRSS:");
  const size_t insts = result->module.insts.size();
  std::printf(
      "{\"text_bytes\": %zu, \"instructions\": %zu, \"errors\": %zu, \"seconds\": %.3f, "
      "\"resident_bytes\": %ld, \"counted_bytes\": %zu, \"peak_resident_bytes\": %ld}\n",
      text_bytes, insts, result->diagnostics.errors(), seconds, (after - before) * 1024,
      result->module.bytes(), StatusKiB("VmHWM:") * 1024);
  return 0;
}
