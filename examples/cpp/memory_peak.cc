// Shows where a program's memory goes: the total, the peak, the largest values live at the peak,
// and what would reduce it. Files that XLA wrote next to the module are used.
//   memory_peak module.txt [DEVICE]
#include <cstdio>
#include <haloscope/haloscope.h>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: memory_peak FILE [DEVICE]\n");
    return 2;
  }
  const halo::Document document = halo::OpenPath(argv[1]);
  halo::MemoryRequest request;
  request.related = halo::OpenRelated(document);
  if (argc > 2) request.device = argv[2];

  const halo::MemoryResult memory = halo::Memory(document, request);
  if (!memory.succeeded) {
    for (const halo::Diagnostic& each : memory.diagnostics) {
      std::fputs(halo::Render(each).c_str(), stderr);
    }
    return 2;
  }
  std::printf("%s on %s, %s: %lld bytes, %lld at the peak (%s)\n", memory.program.c_str(),
              memory.backend.c_str(), memory.is_planned ? "planned" : "as dumped",
              static_cast<long long>(memory.device_bytes),
              static_cast<long long>(memory.peak_bytes), memory.peak_instruction.c_str());
  size_t shown = 0;
  for (const halo::MemoryEntry& entry : memory.entries) {
    if (++shown > 5) break;
    std::printf("  %10lld  %-10s %s %s\n", static_cast<long long>(entry.bytes), entry.kind.c_str(),
                entry.name.c_str(), entry.shape.c_str());
  }
  for (const halo::MemorySaving& saving : memory.savings) {
    std::printf("  saves %lld: %s\n", static_cast<long long>(saving.bytes_saved),
                saving.change.c_str());
  }
  if (!memory.fits())
    std::printf("does not fit %lld bytes\n", static_cast<long long>(*memory.capacity));
  return memory.fits() ? 0 : 1;
}
