// Computes one query row at a time, in double throughout; never rounds probabilities in between.
#include "halo/eval/calls/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace halo {
namespace {

double Dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void AddScaled(double factor, const double* from, double* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

// Computes the scores of one query against all keys; minus infinity where the mask hides the key.
void Scores(const AttentionSpec& spec, const AttentionInputs& in, int64_t b, int64_t h, int64_t i,
            std::span<double> out) {
  const int64_t kv_head = h * spec.kv_heads / spec.heads;
  const double* const q = in.q.Row(b, i, h);
  const std::optional<int64_t> bias_at = spec.BiasAt(b, h, i);
  for (int64_t j = 0; j < spec.keys; ++j) {
    double& score = out[static_cast<size_t>(j)];
    if (!spec.Sees(b, i, j)) {
      score = -std::numeric_limits<double>::infinity();
      continue;
    }
    const double bias = bias_at ? spec.bias[static_cast<size_t>(*bias_at + j)] : 0;
    const double product = Dot(q, in.k.Row(b, j, kv_head), spec.qk_size);
    score = spec.bias_before_scale ? spec.scale * (product + bias) : spec.scale * product + bias;
  }
}

// Returns minus infinity if the query sees no key.
double LogSum(std::span<const double> scores) {
  const double largest = std::ranges::max(scores);
  if (std::isinf(largest) && largest < 0) return largest;
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - largest);
  return largest + std::log(sum);
}

std::optional<Diagnostic> CountWork(const OpContext& cx, const AttentionSpec& spec) {
  // Rows without elements have scores, too.
  if (auto full = cx.CheckBudget(ProductOrMax({spec.keys, sizeof(double)}))) return full;
  return cx.Spend(
      ProductOrMax({spec.batch, spec.heads, spec.queries, std::max<int64_t>(1, spec.keys),
                    std::max<int64_t>(1, spec.qk_size + spec.v_size)}));
}

template <class Visit>
void ForEachQuery(const AttentionSpec& spec, const Visit& visit) {
  if (spec.scores() == 0) return;
  for (int64_t b = 0; b < spec.batch; ++b) {
    for (int64_t h = 0; h < spec.heads; ++h) {
      for (int64_t i = 0; i < spec.queries; ++i) {
        visit(b, h, i, static_cast<size_t>((b * spec.heads + h) * spec.queries + i));
      }
    }
  }
}

}  // namespace

std::optional<int64_t> AttentionSpec::BiasAt(int64_t b, int64_t h, int64_t i) const {
  if (bias.empty()) return std::nullopt;
  const int64_t batch_at = bias_batch == 1 ? 0 : b;
  const int64_t head_at = bias_heads == 1 ? 0 : h;
  return ((batch_at * bias_heads + head_at) * queries + i) * keys;
}

bool AttentionSpec::Sees(int64_t b, int64_t i, int64_t j) const {
  const int64_t query_count = query_counts.empty() ? queries : query_counts[static_cast<size_t>(b)];
  const int64_t key_count = key_counts.empty() ? keys : key_counts[static_cast<size_t>(b)];
  if (i >= query_count || j >= key_count) return false;
  const int64_t diagonal = i + (bottom_right ? key_count - query_count : 0);
  if (causal && j > diagonal) return false;
  if (window_left >= 0 && j < diagonal - window_left) return false;
  return window_right < 0 || j <= diagonal + window_right;
}

std::optional<Diagnostic> AttentionForward(const OpContext& cx, const AttentionSpec& spec,
                                           const AttentionInputs& in, const AttentionRows& out,
                                           std::vector<double>& log_sums) {
  if (auto spent = CountWork(cx, spec)) return spent;
  log_sums.assign(static_cast<size_t>(spec.scores()), 0.0);
  if (spec.keys == 0) return std::nullopt;
  std::vector<double> scores(static_cast<size_t>(spec.keys));
  ForEachQuery(spec, [&](int64_t b, int64_t h, int64_t i, size_t at) {
    Scores(spec, in, b, h, i, scores);
    const double log_sum = LogSum(scores);
    log_sums[at] = log_sum;
    if (std::isinf(log_sum) && log_sum < 0) return;
    const int64_t kv_head = h * spec.kv_heads / spec.heads;
    for (int64_t j = 0; j < spec.keys; ++j) {
      const double weight = std::exp(scores[static_cast<size_t>(j)] - log_sum);
      if (weight != 0) AddScaled(weight, in.v.Row(b, j, kv_head), out.Row(b, i, h), spec.v_size);
    }
  });
  return std::nullopt;
}

std::optional<Diagnostic> AttentionBackward(const OpContext& cx, const AttentionSpec& spec,
                                            const AttentionInputs& in,
                                            const std::vector<double>& log_sums,
                                            const AttentionRows& out, const AttentionRows& dout,
                                            const AttentionGradients& to) {
  if (auto spent = CountWork(cx, spec)) return spent;
  if (spec.keys == 0) return std::nullopt;
  std::vector<double> scores(static_cast<size_t>(spec.keys));
  ForEachQuery(spec, [&](int64_t b, int64_t h, int64_t i, size_t at) {
    Scores(spec, in, b, h, i, scores);
    const int64_t kv_head = h * spec.kv_heads / spec.heads;
    const double* const row = dout.Row(b, i, h);
    const double shared = Dot(row, out.Row(b, i, h), spec.v_size);
    const std::optional<int64_t> bias_at = spec.BiasAt(b, h, i);
    for (int64_t j = 0; j < spec.keys; ++j) {
      if (!spec.Sees(b, i, j)) continue;
      const double weight = std::exp(scores[static_cast<size_t>(j)] - log_sums[at]);
      AddScaled(weight, row, to.dv.Row(b, j, kv_head), spec.v_size);
      const double dscore = weight * (Dot(row, in.v.Row(b, j, kv_head), spec.v_size) - shared);
      AddScaled(spec.scale * dscore, in.k.Row(b, j, kv_head), to.dq.Row(b, i, h), spec.qk_size);
      AddScaled(spec.scale * dscore, in.q.Row(b, i, h), to.dk.Row(b, j, kv_head), spec.qk_size);
      if (to.dbias != nullptr && bias_at) {
        (*to.dbias)[static_cast<size_t>(*bias_at + j)] +=
            spec.bias_before_scale ? spec.scale * dscore : dscore;
      }
    }
  });
  return std::nullopt;
}

}  // namespace halo
