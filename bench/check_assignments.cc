// Checks every assignment of a list, with and without its module, and prints each finding.
//   check_assignments LIST
// The last line is JSON: how many were checked, and how many were accepted each way.
#include <chrono>
#include <cstdio>

#include "bench/assignment_list.h"

namespace {

struct Tally {
  size_t checked = 0;
  size_t accepted = 0;
  size_t values = 0;
  size_t pairs = 0;
  size_t unproven = 0;
  size_t unknown = 0;
};

void Check(const halo_bench::LoadedAssignment& loaded, const halo::Module* module, Tally& tally) {
  const halo::AssignmentFindings found =
      halo::CheckAssignment(loaded.assignment, module, {.rules = loaded.rules});
  ++tally.checked;
  tally.accepted += found.ok() ? 1 : 0;
  tally.values += found.coverage.values;
  tally.pairs += found.coverage.pairs;
  tally.unproven += found.coverage.unproven_pairs;
  tally.unknown += found.coverage.unknown_values;
  if (found.ok()) return;
  std::printf("%s (%s module): %zu findings\n", loaded.name.c_str(),
              module == nullptr ? "without" : "with", found.total);
  for (const halo::Finding& finding : found.findings) {
    std::printf("  %s: %s\n", std::string(halo::TextOf(finding.kind)).c_str(),
                finding.explanation.c_str());
  }
}

void Print(const char* name, const Tally& tally) {
  std::printf(
      "\"%s\": {\"checked\": %zu, \"accepted\": %zu, \"values\": %zu, \"pairs\": %zu, "
      "\"unproven\": %zu, \"unknown\": %zu}",
      name, tally.checked, tally.accepted, tally.values, tally.pairs, tally.unproven,
      tally.unknown);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_assignments LIST\n");
    return 2;
  }
  Tally with;
  Tally without;
  size_t unread = 0;
  double seconds = 0;
  for (const halo_bench::ListLine& line : halo_bench::ReadList(argv[1])) {
    const auto loaded = halo_bench::Load(line);
    if (!loaded) {
      ++unread;
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    if (loaded->module != nullptr) Check(*loaded, loaded->module.get(), with);
    Check(*loaded, nullptr, without);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::printf("{");
  Print("with", with);
  std::printf(", ");
  Print("without", without);
  std::printf(", \"unread\": %zu, \"seconds\": %.3f}\n", unread, seconds);
  return 0;
}
