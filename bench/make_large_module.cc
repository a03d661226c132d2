// Writes a module of any size, shaped like a training step: layers of fused computations called
// from a long entry, with names and metadata as in dumps, about 250 bytes per instruction.
//   make_large_module INSTRUCTIONS > module.hlo
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kFusedSize = 14;
constexpr int kEntryPerFusion = 6;

const char* const kScopes[] = {"attention/query", "attention/key", "attention/value",
                               "attention/out",   "mlp/wi_0",      "mlp/wi_1",
                               "mlp/wo",          "norm/scale"};
const char* const kPrimitives[] = {"dot_general", "mul", "add",
                                   "exp",         "sub", "convert_element_type"};

std::string Metadata(int64_t layer, int64_t n) {
  return "metadata={op_name=\"jit(train_step)/jit(main)/transpose(jvp(Transformer))/decoder/"
         "layer_" +
         std::to_string(layer) + "/" + kScopes[n % 8] + "/" + kPrimitives[n % 6] +
         "\" source_file=\"/app/model/decoder/layers_" + std::to_string(n % 40) +
         ".py\" source_line=" + std::to_string(100 + n % 900) + "}";
}

void Write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

int main(int argc, char** argv) {
  const int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 1000;
  const int64_t fusions = wanted / (kFusedSize + kEntryPerFusion) + 1;
  const std::string shape = "bf16[16,2048,4096]{2,1,0}";
  const std::string wide = "f32[16,2048,4096]{2,1,0}";
  int64_t name = 0;
  Write("HloModule jit_train_step, is_scheduled=true, entry_computation_layout={(" + shape + ", " +
        shape + ")->" + shape + "}\n\n");
  for (int64_t f = 0; f < fusions; ++f) {
    const int64_t layer = f / 64;
    const std::string id = std::to_string(f);
    Write("%fused_computation." + id + " (param_0." + id + ": bf16[16,2048,4096], param_1." + id +
          ": bf16[16,2048,4096]) -> bf16[16,2048,4096] {\n");
    Write("  %param_0." + id + " = " + shape + " parameter(0)\n");
    std::string last = "%convert." + std::to_string(name);
    Write("  " + last + " = " + wide + " convert(%param_0." + id + "), " + Metadata(layer, name) +
          "\n");
    Write("  %param_1." + id + " = " + shape + " parameter(1)\n");
    std::string other = "%convert." + std::to_string(++name);
    Write("  " + other + " = " + wide + " convert(%param_1." + id + "), " + Metadata(layer, name) +
          "\n");
    for (int k = 4; k < kFusedSize - 1; ++k) {
      const char* op = k % 3 == 0 ? "multiply" : k % 3 == 1 ? "add" : "subtract";
      const std::string next = "%" + std::string(op) + "." + std::to_string(++name);
      Write("  " + next + " = " + wide + " " + op + "(" + last + ", " + other + "), " +
            Metadata(layer, name) + "\n");
      other = last;
      last = next;
    }
    ++name;
    Write("  ROOT %convert." + std::to_string(name) + " = " + shape + " convert(" + last + "), " +
          Metadata(layer, name) + "\n}\n\n");
    ++name;
  }
  Write(
      "ENTRY %main (Arg_0.1: bf16[16,2048,4096], Arg_1.2: bf16[16,2048,4096]) -> "
      "bf16[16,2048,4096] {\n");
  Write("  %Arg_0.1 = " + shape + " parameter(0), metadata={op_name=\"state.params\"}\n");
  Write("  %Arg_1.2 = " + shape + " parameter(1), metadata={op_name=\"batch\"}\n");
  std::string last = "%Arg_0.1";
  std::string other = "%Arg_1.2";
  for (int64_t f = 0; f < fusions; ++f) {
    const int64_t layer = f / 64;
    const std::string id = std::to_string(f);
    std::string next = "%loop_add_fusion." + id;
    Write("  " + next + " = " + shape + " fusion(" + last + ", " + other +
          "), kind=kLoop, calls=%fused_computation." + id + ", " + Metadata(layer, f) +
          ", "
          "backend_config={\"operation_queue_id\":\"0\",\"wait_on_operation_queues\":[],\"force_"
          "earliest_schedule\":false}\n");
    other = last;
    last = next;
    for (int k = 1; k < kEntryPerFusion; ++k) {
      const bool is_last = f + 1 == fusions && k + 1 == kEntryPerFusion;
      next = "%bitcast." + std::to_string(++name);
      Write(std::string(is_last ? "  ROOT " : "  ") + next + " = " + shape + " bitcast(" + last +
            "), " + Metadata(layer, name) + "\n");
      last = next;
    }
  }
  Write("}\n\n");
  return 0;
}
