// Times reading and printing of HLO texts: the best of several rounds, on one thread and on two,
// and printing in the text's own style. Prints one JSON line per file.
//   read_speed ROUNDS FILE...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace {

template <class Work>
double BestSeconds(int rounds, const Work& work) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: read_speed ROUNDS FILE...\n");
    return 2;
  }
  const int rounds = std::atoi(argv[1]);
  for (int i = 2; i < argc; ++i) {
    const auto source = halo::SourceBuffer::Open(argv[i]);
    if (!source) {
      std::fprintf(stderr, "%s\n", source.error().message.c_str());
      return 2;
    }
    const double one = BestSeconds(rounds, [&] { halo::ReadHloText(*source, {.threads = 1}); });
    const double two = BestSeconds(rounds, [&] { halo::ReadHloText(*source, {.threads = 2}); });
    const halo::TextReadResult result = halo::ReadHloText(*source);
    size_t printed = 0;
    const double write = BestSeconds(rounds, [&] {
      halo::TextBuffer out;
      halo::WriteHloText(result.module, result.module.style, out);
      printed = out.size();
    });
    std::printf(
        "{\"bytes\": %zu, \"errors\": %zu, \"read_1_s\": %.6f, \"read_2_s\": %.6f, "
        "\"printed_bytes\": %zu, \"write_s\": %.6f}\n",
        source->bytes().size(), result.diagnostics.errors(), one, two, printed, write);
    std::fflush(stdout);
  }
  return 0;
}
