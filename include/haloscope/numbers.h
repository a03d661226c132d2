// Whether two programs compute the same numbers on the same inputs: `halo diff --run` as a
// function.
#ifndef HALOSCOPE_NUMBERS_H_
#define HALOSCOPE_NUMBERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"
#include "haloscope/run.h"

namespace halo {
HALO_V0_BEGIN

// One element of an array in both programs. What is empty although it is present is NaN or
// infinite.
struct ElementPair {
  std::vector<int64_t> index;
  std::optional<double> before, after;
  std::optional<std::optional<double>> before_imag, after_imag;
  std::optional<double> absolute;
};

template <class V>
void Fields(V& v, ElementPair& r) {
  v("index", r.index, "where");
  v("before", r.before, "its value in A; null if it is NaN or infinite", FieldFlag::kNullIfUnknown);
  v("after", r.after, "in B", FieldFlag::kNullIfUnknown);
  v("before_imag", r.before_imag, "the imaginary part in A", When{"of complex elements"});
  v("after_imag", r.after_imag, "the imaginary part in B", When{"of complex elements"});
  v("absolute", r.absolute, "the distance", FieldFlag::kNullIfUnknown);
}

struct ArrayDifference {
  std::string type;
  std::vector<int64_t> dims;
  int64_t elements = 0, different = 0, beyond = 0;
  std::optional<ElementPair> worst;
};

template <class V>
void Fields(V& v, ArrayDifference& r) {
  v("type", r.type, "element type");
  v("dims", r.dims, "dimensions");
  v("elements", r.elements, "how many");
  v("different", r.different, "elements that are not equal");
  v("beyond", r.beyond, "elements that differ by more than rounding explains");
  v("worst", r.worst, "the element that is explained least", When{"if any is beyond"});
}

struct ComparedResult {
  std::string name;
  bool ok = false;
  std::string problem;
  ArrayDifference difference;
};

template <class V>
void Fields(V& v, ComparedResult& r) {
  v("name", r.name, "`out_3`, `out_3_d1`");
  v("ok", r.ok, "it agrees");
  v("problem", r.problem, "why it cannot be compared", FieldFlag::kIfAny);
  Fields(v, r.difference);
}

// An instruction, and where it is.
struct InstructionLocation {
  std::string name, opcode, op_name, source;
  std::vector<std::string> path;
};

template <class V>
void Fields(V& v, InstructionLocation& r) {
  v("name", r.name, "");
  v("opcode", r.opcode, "");
  v("op_name", r.op_name, "from metadata; empty if unknown");
  v("source", r.source, "`file:line` of the user's program; empty if unknown");
  v("path", r.path, "from the entry down to its computation: `ENTRY main: while %loop`");
}

// Whether an operand of the first different value has the same value in both programs.
enum class OperandAgreement : uint8_t { kSame, kDiffers, kUnknown };
constexpr std::array<std::string_view, 3> EnumTexts(OperandAgreement /*type*/) {
  return {"same", "differs", "unknown"};
}

struct ComparedOperand {
  std::string name, agreement;
};

template <class V>
void Fields(V& v, ComparedOperand& r) {
  v("name", r.name, "in B");
  v("agreement", r.agreement, "with its value in A", Choices{"operand_agreement"});
}

// The first value that both programs have and that differs.
struct DifferentValue {
  InstructionLocation before, after;
  int64_t device = 0, execution = 0, leaf = 0;
  double confidence = 1;
  int64_t repaired = 0;
  ArrayDifference difference;
  std::vector<ComparedOperand> operands;
};

template <class V>
void Fields(V& v, DifferentValue& r) {
  v("before", r.before, "the instruction in A");
  v("after", r.after, "the instruction in B");
  v("device", r.device, "its number");
  v("execution", r.execution, "in a loop, the iteration from 0");
  v("leaf", r.leaf, "element of a tuple");
  v("confidence", r.confidence, "that both instructions compute the same value");
  v("repaired", r.repaired,
    "wrong results that become right with the value of A in its place; 0: not confirmed");
  Fields(v, r.difference);
  v("operands", r.operands, "what it is computed from in B");
}

// Two programs that ran.
struct ComparedPrograms {
  std::optional<bool> agrees;
  std::optional<int64_t> wrong;
  std::optional<std::vector<ComparedResult>> results;
  std::optional<int64_t> values;
  std::optional<DifferentValue> first;
};

template <class V>
void Fields(V& v, ComparedPrograms& r) {
  constexpr When kRan{"if both ran"};
  v("agrees", r.agrees, "all results agree, but for rounding", kRan);
  v("wrong", r.wrong, "results that do not", kRan);
  v("results", r.results, "each result, on each device", kRan);
  v("values", r.values, "values of both programs that were compared; 0 if all results agree", kRan);
  v("first", r.first, "the first value that differs and leads to a wrong result");
}

struct NumbersResult : ResultParts, ComparedPrograms {
  static constexpr std::string_view kSchema = "halo.numbers.v1";

  bool ok = false;
  std::string refused;
  std::optional<Sandbox> sandbox;

  // The output of `halo diff --run --json`.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
};

template <class V>
void Fields(V& v, NumbersResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("ok", r.ok, "both programs ran");
  v("refused", r.refused, "why not; `diagnostics` has the reason", FieldFlag::kIfAny);
  Fields(v, static_cast<ComparedPrograms&>(r));
  v("sandbox", r.sandbox, "what the process that ran the programs could not reach",
    When{"absent if none ran it"});
}

// The reference engine runs the first modules of both documents. Inputs are generated from seed 1
// if none are given.
HALO_EXPORT NumbersResult Numbers(const Document& before, const Document& after,
                                  const ExecutionRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_NUMBERS_H_
