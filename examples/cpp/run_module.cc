// Runs a small module on arrays that the program holds, then a module from a file on generated
// inputs, and prints the results.
//   run_module [module.txt]
#include <cstdio>
#include <haloscope/haloscope.h>

namespace {

constexpr const char* kModule = R"(HloModule axpy

ENTRY main {
  a = f32[] parameter(0)
  x = f32[4] parameter(1)
  y = f32[4] parameter(2)
  b = f32[4] broadcast(a), dimensions={}
  m = f32[4] multiply(b, x)
  ROOT r = f32[4] add(m, y)
}
)";

int Show(const halo::RunResult& run) {
  for (const halo::Diagnostic& each : run.diagnostics) {
    std::fputs(halo::Render(each).c_str(), stderr);
  }
  for (const halo::Array& output : run.arrays) {
    std::printf("%s: %s, %zu bytes", output.name.c_str(), output.type.c_str(), output.bytes);
    if (output.type == "f32" && output.dims.size() == 1 && output.dims[0] <= 8) {
      for (const float value : output.As<float>()) std::printf(" %g", value);
    }
    std::printf("\n");
  }
  return run.finished ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  halo::RunRequest request;
  request.inputs = {halo::MakeArray<float>("a", "f32", {}, {2}),
                    halo::MakeArray<float>("x", "f32", {4}, {1, 2, 3, 4}),
                    halo::MakeArray<float>("y", "f32", {4}, {10, 20, 30, 40})};
  const int status = Show(halo::Run(halo::OpenBytes(kModule, "axpy.hlo"), request));
  if (argc < 2 || status != 0) return status;

  // Uses the compiled engine if its plugin is installed, otherwise the reference engine.
  halo::RunRequest generated;
  generated.random = 1;
  generated.engine = "compiled";
  return Show(halo::Run(halo::OpenPath(argv[1]), generated));
}
