// Scaled dot-product attention and its gradient, as libraries fuse them: heads may share keys and
// values, positions may be masked, a bias may be added. Each call's own file decodes how that call
// spells these options.
#ifndef HALO_EVAL_CALLS_ATTENTION_H_
#define HALO_EVAL_CALLS_ATTENTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/eval/calls/call_support.h"

namespace halo {

// Rows of one operand. Row (batch, position, head) starts at `offset` plus each index times its
// stride.
struct AttentionRows {
  std::vector<double>* values = nullptr;
  int64_t offset = 0, batch = 0, position = 0, head = 0;

  [[nodiscard]] double* Row(int64_t b, int64_t s, int64_t h) const {
    return values->data() + (offset + b * batch + s * position + h * head);
  }
};

struct AttentionSpec {
  int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, qk_size = 0, v_size = 0;
  double scale = 1;
  bool causal = false;
  bool bottom_right = false;  // aligns the last query with the last key, not first with first
  int64_t window_left = -1;   // how far back and ahead a query sees; -1: no limit
  int64_t window_right = -1;
  std::vector<int64_t> query_counts, key_counts;  // per batch entry; empty: all

  // Bias added to the scores: [bias_batch, bias_heads, queries, keys]. The first two dimensions are
  // either 1 or full size.
  std::vector<double> bias;
  int64_t bias_batch = 1, bias_heads = 1;
  bool bias_before_scale = false;

  [[nodiscard]] int64_t scores() const { return ProductOrMax({batch, heads, queries}); }
  [[nodiscard]] std::optional<int64_t> BiasAt(int64_t b, int64_t h, int64_t i) const;
  [[nodiscard]] bool Sees(int64_t b, int64_t i, int64_t j) const;
};

struct AttentionInputs {
  AttentionRows q, k, v;
};

// Computes `out` and, per (batch, head, query), the log-sum-exp of the scores.
std::optional<Diagnostic> AttentionForward(const OpContext& cx, const AttentionSpec& spec,
                                           const AttentionInputs& in, const AttentionRows& out,
                                           std::vector<double>& log_sums);

struct AttentionGradients {
  AttentionRows dq, dk, dv;
  std::vector<double>* dbias = nullptr;  // shaped like the bias
};

// `log_sums` are those that the forward pass returned. Sums from another pass give partial
// gradients.
std::optional<Diagnostic> AttentionBackward(const OpContext& cx, const AttentionSpec& spec,
                                            const AttentionInputs& in,
                                            const std::vector<double>& log_sums,
                                            const AttentionRows& out, const AttentionRows& dout,
                                            const AttentionGradients& to);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_ATTENTION_H_
