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
  if (argc > 2) request.device = argv[2];

  const halo::MemoryResult memory = halo::Memory(document, request, halo::OpenRelated(document));
  if (!memory.succeeded) {
    for (const halo::Diagnostic& each : memory.diagnostics) {
      std::fputs(halo::Render(each).c_str(), stderr);
    }
    return 2;
  }
  std::printf("%s on %s, %s: %lld bytes, %lld at the peak (%s)\n", memory.program.c_str(),
              memory.backend.c_str(), memory.planned_by_halo ? "planned" : "as dumped",
              static_cast<long long>(memory.device_bytes),
              static_cast<long long>(memory.peak ? memory.peak->bytes : 0),
              memory.peak ? memory.peak->instruction.c_str() : "unknown");
  for (size_t i = 0; memory.largest && i < memory.largest->size() && i < 5; ++i) {
    const halo::LiveValue& entry = (*memory.largest)[i];
    std::printf("  %10lld  %-10s %s %s\n", static_cast<long long>(entry.bytes), entry.kind.c_str(),
                entry.name.c_str(), entry.shape.c_str());
  }
  for (const halo::MemoryAdvice& advice : memory.advice) {
    std::printf("  saves %lld: %s\n", static_cast<long long>(advice.bytes_saved),
                advice.what.c_str());
  }
  const bool fits = memory.fits.value_or(true);
  if (!fits) std::printf("does not fit %lld bytes\n", static_cast<long long>(*memory.capacity));
  return fits ? 0 : 1;
}
