// Kernels are written as fusions where more than one op takes part, so that what is counted is what
// runs. Sizes grow by factors, from one that only costs its start to one that leaves the caches.
#include "halo/api/time/machine/calibration_programs.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace halo {
namespace {

using Sizes = std::initializer_list<int64_t>;

constexpr std::string_view kAdder =
    "adder { a = TYPE[] parameter(0)\n b = TYPE[] parameter(1)\n ROOT c = TYPE[] add(a, b) }\n";
constexpr std::string_view kLess =
    "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
    " ROOT c = pred[] compare(a, b), direction=LT }\n";

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  for (size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size())) {
    out.replace(at, from.size(), to);
  }
  return out;
}

class Programs {
 public:
  std::vector<CalibrationProgram> Take() {
    Elementwise();
    Reductions();
    Movement();
    Products();
    return std::move(programs_);
  }

 private:
  // In `text`, $N is the size and TYPE the element type.
  void Add(std::string_view curve, std::string_view text, Sizes sizes,
           std::string_view type = "f32") {
    for (const int64_t size : sizes) {
      const std::string filled = Replaced(Replaced(text, "$N", std::to_string(size)), "TYPE", type);
      programs_.push_back({std::string(curve), "HloModule calibration\n" + filled});
    }
  }

  // `count` multiplications and additions of the value `from`, ending in `to`.
  static std::string Chain(std::string_view shape, std::string_view from, std::string_view to,
                           int count) {
    std::string out;
    std::string last(from);
    for (int i = 0; i < count; ++i) {
      const std::string next = i + 1 == count ? std::string(to) : "s" + std::to_string(i);
      const std::string product = "m" + std::to_string(i);
      out += " " + product + " = " + std::string(shape) + " multiply(" + last + ", p)\n";
      out += " " + next + " = " + std::string(shape) + " add(" + product + ", p)\n";
      last = next;
    }
    return out;
  }

  void Elementwise() {
    Add("loop bytes",
        "ENTRY e { p = f32[$N] parameter(0)\n q = f32[$N] parameter(1)\n"
        " ROOT r = f32[$N] add(p, q) }\n",
        {4, 64, 512, 4096, 32768, 131072, 524288, 2097152, 8388608});
    const std::string flops = "fused { p = TYPE[$N] parameter(0)\n" +
                              Chain("TYPE[$N]", "p", "last", 32) +
                              " ROOT r = TYPE[$N] negate(last) }\n"
                              "ENTRY e { p = TYPE[$N] parameter(0)\n"
                              " ROOT r = TYPE[$N] fusion(p), kind=kLoop, calls=fused }\n";
    Add("loop flops", flops, {2, 16, 128, 2048, 32768, 524288});
    Add("wide loop flops", flops, {2, 16, 128, 2048, 32768, 524288}, "f64");
    constexpr std::string_view kFunctions =
        "fused { p = TYPE[$N] parameter(0)\n a = TYPE[$N] exponential(p)\n"
        " b = TYPE[$N] tanh(p)\n c = TYPE[$N] log(a)\n d = TYPE[$N] add(b, c)\n"
        " ROOT r = TYPE[$N] add(a, d) }\n"
        "ENTRY e { p = TYPE[$N] parameter(0)\n"
        " ROOT r = TYPE[$N] fusion(p), kind=kLoop, calls=fused }\n";
    Add("loop transcendentals", kFunctions, {1, 16, 256, 4096, 65536, 524288});
    Add("wide loop transcendentals", kFunctions, {1, 16, 256, 4096, 65536}, "f64");
  }

  void Reductions() {
    struct Rows {
      std::string_view kind, columns;
    };
    for (const Rows rows : {Rows{"reduction", "256"}, Rows{"short reduction", "8"}}) {
      const bool is_short = rows.columns == "8";
      const Sizes sizes =
          is_short ? Sizes{1, 16, 128, 2048, 32768, 524288} : Sizes{1, 4, 16, 128, 2048, 16384};
      const std::string kind(rows.kind);
      const auto add = [&](std::string_view work, std::string_view text) {
        Add(kind + " " + std::string(work),
            Replaced(std::string(kAdder) + std::string(text), "$C", rows.columns), sizes);
      };
      add("bytes",
          "ENTRY e { p = f32[$N,$C] parameter(0)\n z = f32[] constant(0)\n"
          " ROOT r = f32[$N] reduce(p, z), dimensions={1}, to_apply=adder }\n");
      add("flops", "fused { p = f32[$N,$C] parameter(0)\n z = f32[] constant(0)\n" +
                       Chain("f32[$N,$C]", "p", "last", 16) +
                       " ROOT r = f32[$N] reduce(last, z), dimensions={1}, to_apply=adder }\n"
                       "ENTRY e { p = f32[$N,$C] parameter(0)\n"
                       " ROOT r = f32[$N] fusion(p), kind=kInput, calls=fused }\n");
      add("transcendentals",
          "fused { p = f32[$N,$C] parameter(0)\n z = f32[] constant(0)\n"
          " a = f32[$N,$C] exponential(p)\n"
          " s = f32[$N] reduce(a, z), dimensions={1}, to_apply=adder\n"
          " w = f32[$N,$C] broadcast(s), dimensions={0}\n"
          " ROOT r = f32[$N,$C] divide(a, w) }\n"
          "ENTRY e { p = f32[$N,$C] parameter(0)\n"
          " ROOT r = f32[$N,$C] fusion(p), kind=kInput, calls=fused }\n");
    }
  }

  void Movement() {
    Add("window flops",
        std::string(kAdder) +
            "ENTRY e { p = f32[2,$N,$N,6] parameter(0)\n z = f32[] constant(0)\n"
            " ROOT r = f32[2,$N,$N,6] reduce-window(p, z), window={size=1x3x3x1 "
            "pad=0_0x1_1x1_1x0_0},"
            " to_apply=adder }\n",
        {2, 6, 24, 96});
    Add("copy bytes", "ENTRY e { p = f32[$N] parameter(0)\n ROOT r = f32[$N] copy(p) }\n",
        {4, 64, 1024, 16384, 131072, 1048576, 8388608});
    Add("transpose bytes",
        "ENTRY e { p = f32[$N,$N] parameter(0)\n"
        " ROOT r = f32[$N,$N] transpose(p), dimensions={1,0} }\n",
        {2, 8, 32, 128, 512, 2048});
    Add("gather bytes",
        "ENTRY e { p = f32[4096,32] parameter(0)\n i = s32[$N,1] parameter(1)\n"
        " ROOT r = f32[$N,32] gather(p, i), offset_dims={1}, collapsed_slice_dims={0},"
        " start_index_map={0}, index_vector_dim=1, slice_sizes={1,32} }\n",
        {1, 16, 256, 4096, 65536});
    Add("scatter flops",
        std::string(kAdder) +
            "ENTRY e { p = f32[64,32] parameter(0)\n i = s32[$N,1] parameter(1)\n"
            " u = f32[$N,32] parameter(2)\n"
            " ROOT r = f32[64,32] scatter(p, i, u), update_window_dims={1},"
            " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1,"
            " to_apply=adder }\n",
        {1, 16, 256, 4096, 65536});
    Add("sort steps",
        std::string(kLess) +
            "ENTRY e { p = f32[$N] parameter(0)\n"
            " ROOT r = f32[$N] sort(p), dimensions={0}, to_apply=less }\n",
        {2, 16, 128, 2048, 32768, 524288});
  }

  void Products() {
    constexpr std::string_view kSquare =
        "ENTRY e { p = TYPE[$N,$N] parameter(0)\n q = TYPE[$N,$N] parameter(1)\n"
        " ROOT r = TYPE[$N,$N] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n";
    constexpr std::string_view kBatch =
        "ENTRY e { p = TYPE[6,$N,$N] parameter(0)\n q = TYPE[6,$N,$N] parameter(1)\n"
        " ROOT r = TYPE[6,$N,$N] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0},"
        " lhs_contracting_dims={2}, rhs_contracting_dims={1} }\n";
    constexpr std::string_view kSkinny =
        "ENTRY e { p = TYPE[2,$N] parameter(0)\n q = TYPE[$N,$N] parameter(1)\n"
        " ROOT r = TYPE[2,$N] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n";
    constexpr std::string_view kSkinnyBatch =
        "ENTRY e { p = TYPE[6,2,$N] parameter(0)\n q = TYPE[6,$N,$N] parameter(1)\n"
        " ROOT r = TYPE[6,2,$N] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0},"
        " lhs_contracting_dims={2}, rhs_contracting_dims={1} }\n";
    for (const std::string_view type : {"f32", "bf16"}) {
      const std::string name = "skinny product " + std::string(type) + " flops";
      Add(name, kSkinny, {2, 6, 12, 24, 96, 384, 1024}, type);
      Add("batched " + name, kSkinnyBatch, {2, 6, 12, 24, 96, 384}, type);
    }
    for (const std::string_view type : {"f32", "bf16", "f64", "s32"}) {
      const std::string name = "product " + std::string(type) + " flops";
      Add(name, kSquare, {5, 7, 12, 24, 48, 96, 192, 384, 768}, type);
      Add("batched " + name, kBatch, {5, 7, 12, 24, 48, 96, 192}, type);
    }
    Add("product bytes",
        "ENTRY e { p = f32[1,$N] parameter(0)\n q = f32[$N,$N] parameter(1)\n"
        " ROOT r = f32[1,$N] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n",
        {2, 12, 48, 192, 768, 2048});
    Add("convolution f32 flops",
        "ENTRY e { p = f32[2,$N,$N,12] parameter(0)\n q = f32[3,3,12,24] parameter(1)\n"
        " ROOT r = f32[2,$N,$N,24] convolution(p, q), window={size=3x3 pad=1_1x1_1},"
        " dim_labels=b01f_01io->b01f }\n",
        {2, 6, 12, 24, 48, 96});
  }

  std::vector<CalibrationProgram> programs_;
};

}  // namespace

std::vector<CalibrationProgram> CalibrationPrograms() { return Programs().Take(); }

}  // namespace halo
