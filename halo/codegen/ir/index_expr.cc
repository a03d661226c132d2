// Arithmetic on index expressions.
#include "halo/codegen/ir/index_expr.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <numeric>

namespace halo {
namespace {

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

void AddTerm(IndexExpr& to, uint32_t atom, int64_t factor) {
  const auto at =
      std::ranges::lower_bound(to.terms, atom, {}, &std::pair<uint32_t, int64_t>::first);
  if (at == to.terms.end() || at->first != atom) {
    if (factor != 0) to.terms.insert(at, {atom, factor});
  } else if ((at->second += factor) == 0) {
    to.terms.erase(at);
  }
}

int64_t FactorOf(const IndexExpr& a, uint32_t atom) {
  const auto at = std::ranges::lower_bound(a.terms, atom, {}, &std::pair<uint32_t, int64_t>::first);
  return at == a.terms.end() || at->first != atom ? 0 : at->second;
}

}  // namespace

IndexExpr ConstantIndex(int64_t value) { return {value, {}}; }

IndexExpr IndexSpace::Variable(int64_t size) {
  if (size <= 1) return {};
  atoms_.push_back({Kind::kVariable, size, nullptr, {}, 1, false, 0});
  return FromAtom(static_cast<uint32_t>(atoms_.size() - 1));
}

void IndexSpace::SetValue(const IndexExpr& variable, llvm::Value* value) {
  if (!variable.is_constant()) atoms_[variable.terms[0].first].value = value;
}

void IndexSpace::SetMerged(std::span<const IndexExpr> variables, llvm::Value* value) {
  for (const IndexExpr& variable : variables) {
    if (variable.is_constant() || !atoms_[variable.terms[0].first].merged) continue;
    groups_[atoms_[variable.terms[0].first].group].value = value;
    return;
  }
  Group group;
  int64_t weight = 1;
  for (size_t i = variables.size(); i-- > 0;) {
    if (variables[i].is_constant()) continue;
    const uint32_t atom = variables[i].terms[0].first;
    group.digits.emplace_back(atom, weight);
    atoms_[atom].merged = true;
    atoms_[atom].divisor = weight;
    atoms_[atom].group = groups_.size();
    weight *= atoms_[atom].size;
  }
  if (group.digits.empty()) return;
  group.value = value;
  groups_.push_back(std::move(group));
}

IndexExpr IndexSpace::FromValue(llvm::Value* value, int64_t size) {
  if (size <= 1) return {};
  const auto [at, fresh] = by_value_.emplace(value, static_cast<uint32_t>(atoms_.size()));
  if (fresh) atoms_.push_back({Kind::kValue, size, value, {}, 1, false, 0});
  return FromAtom(at->second);
}

IndexExpr IndexSpace::Add(const IndexExpr& a, const IndexExpr& b) {
  IndexExpr sum = a;
  sum.constant += b.constant;
  for (const auto& [atom, factor] : b.terms) AddTerm(sum, atom, factor);
  Rejoin(sum);
  return sum;
}

IndexExpr IndexSpace::Scale(const IndexExpr& a, int64_t factor) {
  if (factor == 0) return {};
  IndexExpr scaled = a;
  scaled.constant *= factor;
  for (auto& term : scaled.terms) term.second *= factor;
  return scaled;
}

IndexExpr IndexSpace::AddConstant(IndexExpr a, int64_t constant) const {
  a.constant += constant;
  return a;
}

IndexSpace::Range IndexSpace::RangeOf(const IndexExpr& a) const {
  Range range{a.constant, a.constant};
  for (const auto& [atom, factor] : a.terms) {
    (factor < 0 ? range.min : range.max) += factor * (atoms_[atom].size - 1);
  }
  return range;
}

bool IndexSpace::DependsOn(const IndexExpr& a, std::span<const IndexExpr> variables) const {
  for (const auto& [number, factor] : a.terms) {
    const Atom& atom = atoms_[number];
    if (atom.kind == Kind::kValue && !llvm::isa<llvm::Constant>(atom.value)) return true;
    if (atom.kind == Kind::kVariable) {
      for (const IndexExpr& variable : variables) {
        if (!variable.is_constant() && variable.terms[0].first == number) return true;
      }
    } else if (DependsOn(atom.of, variables)) {
      return true;
    }
  }
  return false;
}

void IndexSpace::Split(const IndexExpr& a, int64_t divisor, IndexExpr& quotient,
                       IndexExpr& rest) const {
  quotient = ConstantIndex(FloorDiv(a.constant, divisor));
  rest = ConstantIndex(a.constant - quotient.constant * divisor);
  for (const auto& [atom, factor] : a.terms) {
    if (factor % divisor == 0) {
      quotient.terms.emplace_back(atom, factor / divisor);
    } else {
      rest.terms.emplace_back(atom, factor);
    }
  }
}

uint32_t IndexSpace::Derived(Kind kind, const IndexExpr& of, int64_t divisor, int64_t size) {
  const auto [at, fresh] =
      derived_.try_emplace({{kind, divisor}, of}, static_cast<uint32_t>(atoms_.size()));
  if (fresh) atoms_.push_back({kind, size, nullptr, of, divisor, false, 0});
  return at->second;
}

IndexExpr IndexSpace::Div(const IndexExpr& a, int64_t divisor) {
  if (divisor == 1) return a;
  IndexExpr quotient;
  IndexExpr rest;
  Split(a, divisor, quotient, rest);
  Range range = RangeOf(rest);
  if (range.min >= 0 && range.max < divisor) return quotient;
  if (range.min < 0) {
    // The sum is not negative even though some of its terms are.
    rest = a;
    quotient = {};
    range.max = RangeOf(a).max;
  }
  // Low digits that cannot carry do not matter: (4u + v) / 12 is u / 3 if v < 4.
  for (const auto& term : rest.terms) {
    const int64_t common = std::gcd(term.second, divisor);
    if (common <= 1 || common != std::abs(term.second)) continue;
    IndexExpr high;
    IndexExpr low;
    Split(rest, common, high, low);
    const Range lows = RangeOf(low);
    if (lows.min >= 0 && lows.max < common) return Add(quotient, Div(high, divisor / common));
  }
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].second == 1) {
    const Atom& atom = atoms_[rest.terms[0].first];
    if (atom.kind == Kind::kDiv) {
      return Add(quotient, Div(IndexExpr(atom.of), atom.divisor * divisor));
    }
  }
  const int64_t size = std::max<int64_t>(range.max, 0) / divisor + 1;
  return Add(quotient, FromAtom(Derived(Kind::kDiv, rest, divisor, size)));
}

IndexExpr IndexSpace::Mod(const IndexExpr& a, int64_t divisor) {
  if (divisor == 1) return {};
  IndexExpr quotient;
  IndexExpr rest;
  Split(a, divisor, quotient, rest);
  const Range range = RangeOf(rest);
  if (range.min >= 0 && range.max < divisor) return rest;
  if (range.min < 0) rest = a;
  // (4u + v) % 12 is 4 (u % 3) + v if v < 4.
  for (const auto& term : rest.terms) {
    const int64_t common = std::gcd(term.second, divisor);
    if (common <= 1 || common != std::abs(term.second)) continue;
    IndexExpr high;
    IndexExpr low;
    Split(rest, common, high, low);
    const Range lows = RangeOf(low);
    if (lows.min >= 0 && lows.max < common) {
      return Add(Scale(Mod(high, divisor / common), common), low);
    }
  }
  return FromAtom(Derived(Kind::kMod, rest, divisor, divisor));
}

void IndexSpace::Rejoin(IndexExpr& a) {
  for (size_t i = 0; i < a.terms.size(); ++i) {
    const auto [number, factor] = a.terms[i];
    if (atoms_[number].kind != Kind::kMod) continue;
    const IndexExpr of = atoms_[number].of;
    const int64_t divisor = atoms_[number].divisor;
    const IndexExpr high = Div(of, divisor);
    if (high.constant != 0 || high.terms.size() != 1 || high.terms[0].second != 1) continue;
    if (FactorOf(a, high.terms[0].first) != factor * divisor) continue;
    AddTerm(a, number, -factor);
    AddTerm(a, high.terms[0].first, -factor * divisor);
    a = Add(a, Scale(of, factor));
    return;
  }
}

IndexExpr IndexSpace::Linear(std::span<const IndexExpr> index, std::span<const int64_t> strides) {
  IndexExpr sum;
  for (size_t i = 0; i < index.size(); ++i) {
    sum.constant += index[i].constant * strides[i];
    for (const auto& [atom, factor] : index[i].terms) AddTerm(sum, atom, factor * strides[i]);
  }
  Rejoin(sum);
  return sum;
}

Index IndexSpace::Delinearize(const IndexExpr& linear, std::span<const int64_t> dims) {
  Index index(dims.size());
  int64_t weight = 1;
  bool outermost_left = false;
  size_t outermost = 0;
  for (size_t i = 0; i < dims.size() && !outermost_left; ++i) {
    if (dims[i] != 1) {
      outermost = i;
      outermost_left = true;
    }
  }
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    const IndexExpr high = Div(linear, weight);
    index[i] = i == outermost ? high : Mod(high, dims[i]);
    weight *= dims[i];
  }
  return index;
}

llvm::Value* IndexSpace::EmitAtom(llvm::IRBuilderBase& b, uint32_t number) {
  const Kind kind = atoms_[number].kind;
  const int64_t divisor = atoms_[number].divisor;
  if (kind == Kind::kDiv || kind == Kind::kMod) {
    llvm::Value* of = Emit(b, IndexExpr(atoms_[number].of));
    llvm::Value* by = b.getInt64(static_cast<uint64_t>(divisor));
    return kind == Kind::kDiv ? b.CreateUDiv(of, by) : b.CreateURem(of, by);
  }
  if (!atoms_[number].merged) return atoms_[number].value;
  const Group& group = groups_[atoms_[number].group];
  llvm::Value* digit = group.value;
  if (divisor != 1) digit = b.CreateUDiv(digit, b.getInt64(static_cast<uint64_t>(divisor)));
  if (group.digits.back().first == number) return digit;
  return b.CreateURem(digit, b.getInt64(static_cast<uint64_t>(atoms_[number].size)));
}

llvm::Value* IndexSpace::Emit(llvm::IRBuilderBase& b, const IndexExpr& a) {
  if (log != nullptr) log->push_back(a);
  llvm::Value* sum = nullptr;
  const auto add = [&](llvm::Value* value, int64_t factor) {
    if (factor != 1) value = b.CreateMul(value, b.getInt64(static_cast<uint64_t>(factor)));
    sum = sum == nullptr ? value : b.CreateAdd(sum, value);
  };
  IndexExpr left = a;
  for (const Group& group : groups_) {
    const int64_t factor = FactorOf(left, group.digits[0].first);
    bool together = factor != 0;
    for (const auto& [atom, weight] : group.digits) {
      together = together && FactorOf(left, atom) == factor * weight;
    }
    if (!together) continue;
    for (const auto& [atom, weight] : group.digits) AddTerm(left, atom, -factor * weight);
    add(group.value, factor);
  }
  for (const auto& [atom, factor] : left.terms) add(EmitAtom(b, atom), factor);
  if (sum == nullptr) return b.getInt64(static_cast<uint64_t>(a.constant));
  if (a.constant != 0) sum = b.CreateAdd(sum, b.getInt64(static_cast<uint64_t>(a.constant)));
  return sum;
}

}  // namespace halo
