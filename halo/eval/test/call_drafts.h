// Library calls as their targets expect them, to start from when calls with wrong parts are
// generated: operands, results, configuration and attributes of small sizes. A target that is not
// known here gets a call of random shapes.
#ifndef HALO_EVAL_TEST_CALL_DRAFTS_H_
#define HALO_EVAL_TEST_CALL_DRAFTS_H_

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/eval/test/random_module.h"

namespace halo::random_call {

using random_module::Choices;
using random_module::Extents;
using random_module::ShapeText;

// Everything as text, so that any part can be replaced by any other.
struct CallDraft {
  std::vector<std::string> operands;  // shapes
  std::vector<std::string> results;   // shapes; a tuple of them unless `yields_array`
  bool yields_array = true;
  std::string config;              // of backend_config; empty: none
  std::vector<std::string> attrs;  // "window={size=1x1}"
};

inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The operands and results of routines on matrices. Each is a letter for the type (`a` of the
// matrix, `r` its real type, `c` its complex type, `i` s32, `w` a workspace of bytes) and one for
// each dimension after the batch: rows, columns, or `k` for whichever is less.
struct MatrixRoutine {
  std::string_view target, operands, results;
};
inline constexpr MatrixRoutine kMatrixRoutines[] = {
    {"gtsv2", "an an an anm", "anm"},
    {"gtsv", "an an an anm", "an an an anm i"},
    {"getrf", "amn", "amn ik i"},
    {"potrf", "ann", "ann i"},
    {"trsm", "ann anm", "anm"},
    {"triangularSolve", "ann anm", "anm w"},
    {"pivots_to_permutation", "in", "in"},
    {"geqrf", "amn", "amn ak"},
    {"Qr", "amn", "amn ak"},
    {"geqp3", "amn in", "amn in ak"},
    {"gqr", "amk ak", "amk"},
    {"Householder", "amk ak", "amk"},
    {"mqr", "amm am amn", "amn"},
    {"gehrd", "ann", "ann aj i"},
    {"trd", "ann", "ann rn rj aj i"},
    {"evd_ffi", "ann", "ann rn i"},
    {"EighTpu", "ann ann ann ann", "rn rn ann ann ann ann"},
    {"Eigh", "ann", "ann rn"},
    {"gesvdj", "amn", "amn rk amk ank i"},
    {"gesvdp", "amn", "amn rk amk ank i"},
    {"ges", "amn", "amn rk amk akn i"},
    {"gees", "ann", "ann ann an i i"},
    {"LuDecomposition", "amn", "amn ik im"},
    {"Cholesky", "ann", "ann"},
    {"InvertDiag", "ann", "ann"},
    {"CompactWy", "ann", "ann"},
};

class CallDrafter {
 public:
  CallDrafter(Choices& choices, std::string_view target)
      : choices_(choices), target_(target), is_extreme_(choices.Chance(16)) {}

  CallDraft Make() {
    if (Is("__cublas$gemm") || Is("__cublas$lt")) return Gemm();
    if (Is("__cudnn$conv")) return Convolution();
    if (Is("__cudnn$fmha")) return CudnnAttention();
    if (Is("te_fused")) return TeAttention();
    if (Is("__onednn$")) return OneDnn();
    if (Is("TopK")) return TopK();
    if (Is("threefry")) return Threefry();
    if (Is("geev")) return Geev();
    for (const MatrixRoutine& routine : kMatrixRoutines) {
      const bool is_gees = routine.target == "ges" && Is("gees");
      if (Is(routine.target) && !is_gees) return OnMatrices(routine);
    }
    return Marker();
  }

  // Any shape: an array of up to three dimensions, rarely something else.
  std::string AnyShape() {
    if (choices_.Chance(12)) return "token[]";
    if (choices_.Chance(16)) return "()";
    if (choices_.Chance(16)) return "b(" + AnyArray() + ")";
    if (choices_.Chance(16)) return "f32[<=" + std::to_string(1 + choices_.Below(4)) + "]";
    return AnyArray();
  }
  std::string AnyArray() {
    static constexpr const char* kTypes[] = {"f32", "f32", "f64", "c64",  "c128",   "s32",
                                             "u32", "s8",  "u8",  "bf16", "f16",    "pred",
                                             "u64", "s64", "s4",  "u2",   "f8e5m2", "f8e4m3fn"};
    Extents dims(choices_.Below(5));
    for (int64_t& dim : dims) dim = Extent();
    return ShapeText(choices_.Pick(kTypes), dims);
  }
  // Mostly small, sometimes zero. In a few calls everything is zero or enormous: only an array
  // without elements can have such dimensions.
  int64_t Extent() {
    static constexpr int64_t kExtremes[] = {0, 0, 2147483647, 1099511627776, 4611686018427387904};
    if (is_extreme_) return choices_.Pick(kExtremes);
    return choices_.Chance(10) ? 0 : 1 + choices_.Below(4);
  }

 private:
  [[nodiscard]] bool Is(std::string_view part) const { return Contains(target_, part); }
  std::string Number() { return std::to_string(choices_.Below(4)); }
  template <class... Texts>
  std::string OneOf(const Texts&... texts) {
    const std::string list[] = {texts...};
    return choices_.Pick(list);
  }

  static std::string DotNumbers(int64_t batches, int64_t lhs, int64_t rhs) {
    std::string batch;
    for (int64_t i = 0; i < batches; ++i) {
      batch += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
    }
    return "{\"lhs_contracting_dimensions\":[\"" + std::to_string(batches + lhs) +
           "\"],\"rhs_contracting_dimensions\":[\"" + std::to_string(batches + rhs) +
           "\"],\"lhs_batch_dimensions\":[" + batch + "],\"rhs_batch_dimensions\":[" + batch + "]}";
  }

  CallDraft Gemm() {
    const int64_t m = Extent(), k = Extent(), n = Extent();
    const int64_t batches = choices_.Below(2);
    const Extents batch(static_cast<size_t>(batches), 2);
    const bool scaled = Is("$f8");
    const bool left = choices_.Chance(3), right = choices_.Chance(3);
    const auto dims = [&](int64_t rows, int64_t columns) {
      Extents all = batch;
      all.insert(all.end(), {rows, columns});
      return all;
    };
    const std::string type = scaled ? OneOf("f8e4m3fn", "f8e5m2")
                                    : OneOf("f32", "f32", "f64", "bf16", "f16", "c64", "s8");
    const std::string out = scaled ? OneOf("f32", "bf16", "f8e4m3fn") : type == "s8" ? "s32" : type;
    const bool adds = choices_.Chance(3), has_bias = choices_.Chance(3);
    CallDraft draft;
    draft.operands = {ShapeText(type, left ? dims(k, m) : dims(m, k)),
                      ShapeText(type, right ? dims(n, k) : dims(k, n))};
    draft.results = {ShapeText(out, dims(m, n))};
    if (adds) draft.operands.push_back(ShapeText(out, dims(m, n)));
    if (scaled) draft.operands.insert(draft.operands.end(), {"f32[]", "f32[]"});
    if (has_bias) draft.operands.push_back(ShapeText(out, {n}));
    const std::string activation = OneOf("", "", "RELU", "GELU", "SILU", "GELU_AUX");
    if (activation == "GELU_AUX") draft.results.push_back(draft.results[0]);
    if (choices_.Chance(2)) draft.results.emplace_back("s8[16]");
    draft.yields_array = draft.results.size() == 1;
    const std::string epilogue = has_bias ? (activation.empty() ? "BIAS" : "BIAS_" + activation)
                                          : (activation.empty() ? "DEFAULT" : activation);
    draft.config =
        "{\"gemm_backend_config\":{\"alpha_real\":" + OneOf("1", "2", "0.5") +
        ",\"alpha_imag\":0,\"beta\":" + (adds ? OneOf("1", "-1") : "0") +
        ",\"dot_dimension_numbers\":" + DotNumbers(batches, left ? 0 : 1, right ? 1 : 0) +
        ",\"epilogue\":\"" + epilogue + "\"" +
        (scaled && choices_.Chance(3) ? ",\"damax_output\":true" : "") + "}}";
    return draft;
  }

  CallDraft Convolution() {
    const int64_t size = 3 + choices_.Below(3), kernel = 1 + choices_.Below(3);
    const int64_t in = Extent(), out = Extent(), batch = Extent(), space = size - kernel + 1;
    const std::string type = OneOf("f32", "f32", "f16", "f64");
    const std::string input = ShapeText(type, {batch, size, size, in});
    const std::string filter = ShapeText(type, {kernel, kernel, in, out});
    const std::string output = ShapeText(type, {batch, space, space, out});
    CallDraft draft;
    draft.operands = {input, filter};
    draft.results = {output};
    if (Is("BackwardInput")) std::swap(draft.operands[0], draft.results[0]);
    if (Is("BackwardFilter")) {
      draft.operands = {input, output};
      draft.results = {filter};
    }
    if (Is("Bias")) {
      draft.operands.push_back(ShapeText(type, {out}));
      if (choices_.Chance(2)) draft.operands.push_back(output);
    }
    draft.results.emplace_back("u8[0]");
    draft.yields_array = false;
    draft.config = "{\"cudnn_conv_backend_config\":{\"conv_result_scale\":" + OneOf("1", "0.5") +
                   ",\"side_input_scale\":" + Number() + ",\"activation_mode\":\"" +
                   OneOf("kNone", "kRelu", "kElu", "kLeakyRelu") + "\",\"leakyrelu_alpha\":0.1}}";
    const std::string taps = std::to_string(kernel);
    draft.attrs = {"window={size=" + taps + "x" + taps + "}", "dim_labels=b01f_01io->b01f"};
    if (choices_.Chance(4)) draft.attrs.push_back("feature_group_count=" + Number());
    return draft;
  }

  CallDraft OneDnn() {
    CallDraft draft;
    const int64_t m = Extent(), k = Extent(), n = Extent();
    const std::string type = OneOf("f32", "f32", "bf16", "f64");
    if (Is("matmul")) {
      const bool has_bias = choices_.Chance(2);
      draft.operands = {ShapeText(type, {m, k}), ShapeText(type, {k, n})};
      draft.results = {ShapeText(type, {m, n})};
      if (has_bias) draft.operands.push_back(ShapeText(type, {n}));
      draft.config = "{\"onednn_matmul_config\":{\"fusions\":{\"ops\":[" +
                     std::string(has_bias ? "\"BIAS\"" : "") +
                     (choices_.Chance(3) ? (has_bias ? ",\"RELU\"" : "\"RELU\"") : "") +
                     "]},\"transpose_a\":false,\"transpose_b\":false}}";
      return draft;
    }
    draft.operands = {ShapeText(type, {m, n})};
    draft.results = draft.operands;
    draft.config = "{\"onednn_softmax_config\":{\"softmax_axis\":" + Number() + "}}";
    if (Is("layernorm")) {
      draft.operands.insert(draft.operands.end(), 2, ShapeText(type, {n}));
      draft.config =
          "{\"onednn_layer_norm_config\":{\"rescale\":\"SCALE_AND_SHIFT\","
          "\"epsilon_typecast\":925353388}}";
    }
    return draft;
  }

  CallDraft TopK() {
    const int64_t rows = Extent(), n = 1 + choices_.Below(40), k = choices_.Below(8);
    const std::string type = OneOf("f32", "bf16", "s32", "f64", "u8");
    CallDraft draft;
    draft.operands = {ShapeText(type, {rows, n})};
    draft.results = {ShapeText(type, {rows, k}), ShapeText("s32", {rows, k})};
    draft.yields_array = false;
    return draft;
  }

  CallDraft Threefry() {
    const std::string words = ShapeText("u32", {choices_.Below(40)});
    const std::string keys = choices_.Chance(2) ? "u32[]" : words;
    CallDraft draft;
    draft.operands = {keys, keys, words, words};
    draft.results = {words, words};
    draft.yields_array = false;
    return draft;
  }

  CallDraft TeAttention() {
    const int64_t b = Extent(), h = Extent(), q = Extent(), k = Extent(), d = Extent();
    const Extents queries = {b, q, h, d}, keys = {b, k, h, d};
    const bool backward = Is("backward");
    CallDraft draft;
    draft.operands = {ShapeText("f32", queries), ShapeText("f32", keys), ShapeText("f32", keys),
                      "f32[0]"};
    const std::string statistics = ShapeText("f32", {b, h, q, 1});
    const std::string sums = ShapeText("s32", {b + 1});
    if (backward) {
      draft.operands.insert(
          draft.operands.end(),
          {statistics, "u32[2,4]", ShapeText("f32", queries), ShapeText("f32", queries)});
      draft.results = {ShapeText("f32", queries), ShapeText("f32", keys), ShapeText("f32", keys),
                       "f32[0]", "u8[8]"};
    } else {
      draft.operands.emplace_back("u32[2,4]");
      draft.results = {ShapeText("f32", queries), statistics, "u32[2,4]", "u8[8]"};
    }
    draft.operands.insert(draft.operands.end(), 4, sums);
    draft.yields_array = false;
    const auto field = [](const char* key, int64_t value) {
      return std::string(key) + " = " + std::to_string(value) + " : i64, ";
    };
    draft.config = "{" + field("input_batch", b) + field("attn_heads", h) +
                   field("num_gqa_groups", h) + field("q_max_seqlen", q) +
                   field("kv_max_seqlen", k) + field("qk_head_dim", d) + field("v_head_dim", d) +
                   field("qkv_layout", choices_.Chance(4) ? choices_.Below(10) : 9) +
                   field("mask_type", choices_.Below(7)) + field("bias_type", choices_.Below(3)) +
                   "scaling_factor = 5.000000e-01 : f64}";
    return draft;
  }

  CallDraft CudnnAttention() {
    const int64_t b = Extent(), h = Extent(), q = Extent(), k = Extent(), d = Extent();
    const bool has_bias = Is("ScaleBias"), backward = Is("Backward");
    const std::string queries = ShapeText("f32", {b, h, q, d});
    const std::string keys = ShapeText("f32", {b, h, k, d});
    const std::string statistics = ShapeText("f32", {b, h, q});
    const std::string bias = ShapeText("f32", {1, h, q, k});
    CallDraft draft;
    draft.operands = {queries, keys, keys};
    draft.results = {queries};
    if (backward) {
      draft.operands.insert(draft.operands.end(), {statistics, queries});
      draft.results = {queries, keys, keys};
    } else if (choices_.Chance(2)) {
      draft.results.push_back(statistics);
    }
    if (has_bias) draft.operands.push_back(bias);
    if (backward) draft.operands.push_back(queries);
    if (has_bias && backward) draft.results.push_back(bias);
    draft.results.emplace_back("u8[0]");
    draft.yields_array = false;
    const std::string mask = OneOf("NO_MASK", "CAUSAL", "PADDING", "PADDING_CAUSAL");
    if (Contains(mask, "PADDING")) {
      draft.operands.insert(draft.operands.end(), 2, ShapeText("s32", {b}));
    }
    const std::string numbers = DotNumbers(2, 1, 1);
    draft.config =
        "{\"cudnn_fmha_backend_config\":{\"fmha_scale\":0.5,\"dropout_rate\":0,"
        "\"mask_type\":\"" +
        mask + "\",\"sliding_window_length\":" + Number() +
        ",\"bmm1_dot_dimension_numbers\":" + numbers +
        ",\"bmm2_grad_gemm2_dot_dimension_numbers\":" + numbers + "}}";
    return draft;
  }

  // The type that a LAPACK routine's name says.
  std::string MatrixType() {
    constexpr std::string_view kPrefix = "lapack_";
    const char kind = target_.starts_with(kPrefix) && target_.size() > kPrefix.size()
                          ? target_[kPrefix.size()]
                          : "sdcz"[choices_.Below(4)];
    return kind == 'd' ? "f64" : kind == 'c' ? "c64" : kind == 'z' ? "c128" : "f32";
  }

  CallDraft OnMatrices(const MatrixRoutine& routine) {
    const std::string type = MatrixType();
    const int64_t m = Extent(), n = Extent();
    Extents batch(choices_.Below(2));
    for (int64_t& size : batch) size = Extent();
    const auto shape_of = [&](std::string_view spec) {
      if (spec[0] == 'w') return std::string("s8[8]");
      Extents dims = batch;
      for (const char letter : spec.substr(1)) {
        dims.push_back(letter == 'm'   ? m
                       : letter == 'n' ? n
                       : letter == 'j' ? std::max<int64_t>(0, n - 1)
                                       : std::min(m, n));
      }
      const bool is_double = type == "f64" || type == "c128";
      return ShapeText(spec[0] == 'a'   ? type
                       : spec[0] == 'i' ? "s32"
                       : spec[0] == 'c' ? (is_double ? "c128" : "c64")
                                        : (is_double ? "f64" : "f32"),
                       dims);
    };
    const auto read = [&](std::string_view specs, std::vector<std::string>& shapes) {
      while (!specs.empty()) {
        const size_t end = std::min(specs.find(' '), specs.size());
        shapes.push_back(shape_of(specs.substr(0, end)));
        specs.remove_prefix(std::min(end + 1, specs.size()));
      }
    };
    CallDraft draft;
    read(routine.operands, draft.operands);
    read(routine.results, draft.results);
    draft.yields_array = draft.results.size() == 1;
    draft.config =
        OneOf("", "{mode = 83 : ui8, uplo = 76 : ui8}",
              "{diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}",
              "{lower = true}", "{\"lower\":\"true\",\"left_side\":\"true\"}", "1,0,100,1e-6");
    return draft;
  }

  CallDraft Geev() {
    const bool is_complex = MatrixType()[0] == 'c';
    return OnMatrices({"geev", "ann", is_complex ? "an cnn cnn i" : "rn rn cnn cnn i"});
  }

  CallDraft Marker() {
    CallDraft draft;
    const std::string shape = AnyArray();
    draft.operands = {shape};
    draft.results = {shape};
    if (Is("Split")) {
      draft.operands = {OneOf("s64[2]", "u64[3]", "f64[2]", "c128[2]")};
      draft.results = {OneOf("u32[2]", "s32[3]", "f32[2]", "f64[2]")};
    } else if (Is("Combine")) {
      draft.operands = choices_.Chance(2) ? std::vector<std::string>{"u32[2]", "s32[2]"}
                                          : std::vector<std::string>{"f32[2]", "f32[2]"};
      draft.results = {OneOf("s64[2]", "u64[2]", "f64[2]", "c64[2]")};
    } else if (Is("PadToStatic")) {
      draft = CallDraft{.operands = {"f32[2,3]"},
                        .results = {"f32[3,4]", "s32[]", "s32[]"},
                        .yields_array = false,
                        .config = {},
                        .attrs = {}};
    } else if (Is("SliceToDynamic")) {
      draft.operands = {"f32[4]", "s32[]"};
      draft.results = {"f32[<=4]"};
    } else if (Is("ZeroCrop")) {
      draft.operands = {"f32[2,3]"};
      draft.results = {"f32[4,3]"};
    } else if (Is("ConcatBitcast")) {
      draft.operands = {"f32[2,3]", "f32[1,3]"};
      draft.results = {"f32[3,3]"};
    } else if (Is("AsyncCollectiveStart")) {
      draft.results = {shape, shape, "u32[]"};
      draft.yields_array = false;
    } else if (Is("AsyncCollectiveDone")) {
      draft.operands = {shape, shape, "u32[]"};
    } else if (Is("Pin")) {
      draft.results = {"b(" + shape + ")"};
    } else if (Is("Buffer")) {
      draft.operands.clear();
      if (choices_.Chance(2)) draft.results = {"b(" + shape + ")"};
    }
    if (Is("Shape") || Is("Sharding")) {
      draft.attrs.push_back("sharding=" + OneOf("{replicated}", "{devices=[2]<=[2]}", "{manual}"));
    }
    return draft;
  }

  Choices& choices_;
  std::string_view target_;
  bool is_extreme_;
};

}  // namespace halo::random_call

#endif  // HALO_EVAL_TEST_CALL_DRAFTS_H_
