// Writes a scheduled module of any size, shaped like a training step: a forward pass whose
// activations stay live until the backward pass, loops that stack values, donated weights and
// moments updated in place. It grows deeper, not wider, so that more and more is live at once.
//   make_training_module INSTRUCTIONS > module.hlo
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int64_t kPerLayer = 79;  // instructions per layer, including fused ones
constexpr int64_t kLayersPerLoop = 8;

const std::string kAct = "bf16[8,1024,512]{2,1,0}";
const std::string kWide = "bf16[8,1024,2048]{2,1,0}";
const std::string kWeight = "f32[512,2048]{1,0}";
const std::string kStack = "bf16[4,8,1024,512]{3,2,1,0}";

class Writer {
 public:
  explicit Writer(int64_t layers) : layers_(layers) {}

  void Write() {
    for (int64_t layer = 0; layer < layers_; ++layer) AddLayer(layer);
    for (int64_t layer = layers_; layer-- > 0;) AddBackward(layer);
    Put("HloModule jit_train_step, is_scheduled=true, input_output_alias={ ");
    for (int64_t i = 0; i < 2 * layers_; ++i) {
      const std::string number = std::to_string(i);
      Put((i == 0 ? "{" : ", {") + number + "}: (" + number + ", {}, may-alias)");
    }
    Put(" }, entry_computation_layout={(" + kWeight + ")->(" + kWeight + ")}\n\n");
    Put(computations_);
    Put("ENTRY %main {\n");
    for (int64_t i = 0; i < 2 * layers_; ++i) {
      Put("  %p." + std::to_string(i) + " = " + kWeight + " parameter(" + std::to_string(i) +
          "), metadata={op_name=\"" + (i % 2 == 0 ? "params" : "opt_state.mu") + "['layers_" +
          std::to_string(i / 2) + "']\"}\n");
    }
    Put("  %batch = " + kAct + " parameter(" + std::to_string(2 * layers_) + ")\n");
    Put(forward_);
    Put("  %loss = " + kAct + " negate(%x." + std::to_string(layers_) + ")\n");
    Put(backward_);
    Put("  ROOT %out = (");
    for (int64_t i = 0; i < 2 * layers_; ++i) Put((i == 0 ? "" : ", ") + kWeight);
    Put(") tuple(");
    for (int64_t i = 0; i < 2 * layers_; ++i)
      Put((i == 0 ? "%new." : ", %new.") + std::to_string(i));
    Put(")\n}\n");
  }

 private:
  static void Put(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

  // Adds a fusion that does the same elementwise work on each operand.
  void AddFusion(const std::string& name, const std::string& shape, const std::string& a,
                 const std::string& b, const std::string& op_name, std::string& into) {
    const std::string id = std::to_string(fusions_++);
    std::string& text = computations_;
    text += "%fused." + id + " {\n  %a." + id + " = " + shape + " parameter(0)\n  %b." + id +
            " = " + shape + " parameter(1)\n";
    std::string last = "%a." + id;
    for (int i = 0; i < 7; ++i) {
      const std::string next = "%f." + id + "." + std::to_string(i);
      text += "  " + std::string(i == 6 ? "ROOT " : "") + next + " = " + shape +
              (i % 2 == 0 ? " multiply(" : " add(") + last + ", %b." + id + ")\n";
      last = next;
    }
    text += "}\n\n";
    into += "  " + name + " = " + shape + " fusion(" + a + ", " + b +
            "), kind=kLoop, calls=%fused." + id + ", metadata={op_name=\"" + op_name +
            "\" source_file=\"model.py\" source_line=" + std::to_string(fusions_ % 400) + "}\n";
  }

  void AddGemm(const std::string& name, const std::string& shape, const std::string& a,
               const std::string& b, const std::string& op_name, std::string& into) {
    into += "  " + name + " = " + shape + " custom-call(" + a + ", " + b +
            "), custom_call_target=\"__cublas$gemm\", metadata={op_name=\"" + op_name + "\"}\n";
  }

  static std::string Scope(int64_t layer, const char* pass, const char* op) {
    return std::string("jit(train_step)/") + pass + "/layers_" + std::to_string(layer) + "/" + op;
  }

  void AddLoop(int64_t layer) {
    const std::string id = std::to_string(layer);
    const std::string state = "(s32[], " + kAct + ", " + kStack + ")";
    computations_ += "%cond." + id + " {\n  %cs." + id + " = " + state + " parameter(0)\n  %ci." +
                     id + " = s32[] get-tuple-element(%cs." + id + "), index=0\n  %cn." + id +
                     " = s32[] constant(4)\n  ROOT %go." + id + " = pred[] compare(%ci." + id +
                     ", %cn." + id + "), direction=LT\n}\n\n";
    computations_ +=
        "%body." + id + " {\n  %bs." + id + " = " + state + " parameter(0)\n  %bi." + id +
        " = s32[] get-tuple-element(%bs." + id + "), index=0\n  %bx." + id + " = " + kAct +
        " get-tuple-element(%bs." + id + "), index=1\n  %by." + id + " = " + kStack +
        " get-tuple-element(%bs." + id + "), index=2\n  %one." + id +
        " = s32[] constant(1)\n  %zero." + id + " = s32[] constant(0)\n  %bn." + id +
        " = s32[] add(%bi." + id + ", %one." + id + ")\n  %bt." + id + " = " + kAct + " tanh(%bx." +
        id + ")\n  %br." + id + " = bf16[1,8,1024,512]{3,2,1,0} bitcast(%bt." + id + ")\n  %bu." +
        id + " = " + kStack + " dynamic-update-slice(%by." + id + ", %br." + id + ", %bi." + id +
        ", %zero." + id + ", %zero." + id + ", %zero." + id + ")\n  ROOT %bo." + id + " = " +
        state + " tuple(%bn." + id + ", %bt." + id + ", %bu." + id + ")\n}\n\n";
    forward_ += "  %li." + id + " = s32[] constant(0)\n  %lc." + id + " = s32[] copy(%li." + id +
                ")\n  %lz." + id + " = bf16[] constant(0)\n  %ls." + id + " = " + kStack +
                " broadcast(%lz." + id + "), dimensions={}\n  %lx." + id + " = " + kAct +
                " copy(%x." + id + ")\n  %lt." + id + " = " + state + " tuple(%lc." + id +
                ", %lx." + id + ", %ls." + id + ")\n  %loop." + id + " = " + state + " while(%lt." +
                id + "), condition=%cond." + id + ", body=%body." + id +
                ", backend_config={\"known_trip_count\":{\"n\":\"4\"}}\n  %lo." + id + " = " +
                kStack + " get-tuple-element(%loop." + id + "), index=2\n";
  }

  void AddLayer(int64_t layer) {
    const std::string id = std::to_string(layer);
    const std::string in = layer == 0 ? "%batch" : "%x." + id;
    if (layer == 0) forward_ += "  %x.0 = " + kAct + " copy(%batch)\n";
    if (layer % kLayersPerLoop == 1) AddLoop(layer);
    AddFusion("%norm." + id, kAct, in, in, Scope(layer, "jvp(Model)", "norm/mul"), forward_);
    AddGemm("%up." + id, kWide, "%norm." + id, "%p." + std::to_string(2 * layer),
            Scope(layer, "jvp(Model)", "mlp/dot_general"), forward_);
    AddFusion("%act." + id, kWide, "%up." + id, "%up." + id, Scope(layer, "jvp(Model)", "mlp/silu"),
              forward_);
    AddGemm("%down." + id, kAct, "%act." + id, "%p." + std::to_string(2 * layer),
            Scope(layer, "jvp(Model)", "mlp/dot_general"), forward_);
    AddFusion("%x." + std::to_string(layer + 1), kAct, in, "%down." + id,
              Scope(layer, "jvp(Model)", "add"), forward_);
  }

  void AddBackward(int64_t layer) {
    const std::string id = std::to_string(layer);
    const char* pass = "transpose(jvp(Model))";
    const std::string gradient =
        layer + 1 == layers_ ? "%loss" : "%dx." + std::to_string(layer + 1);
    const std::string weight = std::to_string(2 * layer), moment = std::to_string(2 * layer + 1);
    AddGemm("%dact." + id, kWide, gradient, "%p." + weight, Scope(layer, pass, "mlp/dot_general"),
            backward_);
    AddFusion("%dup." + id, kWide, "%dact." + id, "%up." + id, Scope(layer, pass, "mlp/silu"),
              backward_);
    AddGemm("%dw." + id, kWeight, "%dup." + id, "%norm." + id,
            Scope(layer, pass, "mlp/dot_general"), backward_);
    AddGemm("%dnorm." + id, kAct, "%dup." + id, "%p." + weight,
            Scope(layer, pass, "mlp/dot_general"), backward_);
    AddFusion("%dx." + id, kAct, "%dnorm." + id, gradient, Scope(layer, pass, "norm/mul"),
              backward_);
    if (layer % kLayersPerLoop == 1) {
      backward_ += "  %used." + id + " = " + kStack + " negate(%lo." + id + ")\n";
    }
    AddFusion("%new." + moment, kWeight, "%p." + moment, "%dw." + id, "jit(train_step)/add",
              backward_);
    AddFusion("%new." + weight, kWeight, "%p." + weight, "%new." + moment, "jit(train_step)/sub",
              backward_);
  }

  int64_t layers_;
  int64_t fusions_ = 0;
  std::string computations_, forward_, backward_;
};

}  // namespace

int main(int argc, char** argv) {
  const int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 1000;
  Writer(wanted / kPerLayer + 2).Write();
  return 0;
}
