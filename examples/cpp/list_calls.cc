// Checks a module, then walks it: prints every fusion and loop of the entry computation with the
// computations it calls and the users of its result.
//   list_calls module.txt
#include <cstdio>
#include <haloscope/haloscope.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: list_calls FILE\n");
    return 2;
  }
  const halo::Document document = halo::OpenPath(argv[1]);
  const halo::CheckResult check = halo::Check(document);
  for (const halo::Diagnostic& finding : check.diagnostics) {
    std::fputs(halo::Render(finding).c_str(), stderr);
  }
  if (!check.ok()) return 1;

  for (const halo::ModuleView& module : document.modules()) {
    std::printf("%s: %zu instructions\n", std::string(module.name()).c_str(),
                module.instruction_count());
    const auto entry = module.entry();
    if (!entry) continue;
    for (const halo::InstructionView& inst : entry->instructions()) {
      if (inst.called_computations().empty()) continue;
      std::printf("  %s %s calls", std::string(inst.opcode()).c_str(),
                  std::string(inst.name()).c_str());
      for (const halo::ComputationView& called : inst.called_computations()) {
        std::printf(" %s (%zu)", std::string(called.name()).c_str(), called.instruction_count());
      }
      std::printf(", read by %zu\n", inst.users().size());
    }
  }
  return 0;
}
