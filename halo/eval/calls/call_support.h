// What the definitions of library calls have in common: reading their configuration, checking
// operands (nobody has before: a custom call may be given anything) and handing back results of the
// declared shapes.
#ifndef HALO_EVAL_CALLS_CALL_SUPPORT_H_
#define HALO_EVAL_CALLS_CALL_SUPPORT_H_

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/eval/context/call_errors.h"
#include "halo/eval/context/op_context.h"
#include "halo/eval/linalg/dot.h"

namespace halo {

using Complex = std::complex<double>;

// backend_config as JSON or as an MLIR dictionary; an empty object if there is none.
std::optional<JsonValue> ParseCallConfig(std::string_view text);
Result<JsonValue> ReadCallConfig(const OpContext& cx);

// Nothing if there are at least `count` operands and the first `count` are arrays.
std::optional<Diagnostic> NeedArrays(const OpContext& cx, size_t count);

// The call's value. `parts` are its first results, converted to the declared types; further ones,
// workspaces all of them, are zeros. The diagnostic if dimensions are not as declared.
Result<Value> FinishCall(const OpContext& cx, std::vector<Array> parts);

// Elements as numbers to compute with, and back to an array of a type.
Result<std::vector<double>> LoadDoubles(const OpContext& cx, const Array& array);
Result<std::vector<Complex>> LoadComplexes(const OpContext& cx, const Array& array);
Array StoreDoubles(const OpContext& cx, ElementType type, std::span<const int64_t> dims,
                   std::span<const double> values);
Array StoreComplexes(const OpContext& cx, ElementType type, std::span<const int64_t> dims,
                     std::span<const Complex> values);

// The product of sizes, or the largest number if it is larger: work to count, bytes to ask for.
int64_t ProductOrMax(std::initializer_list<int64_t> sizes);

// The dimension numbers of a dot as configurations write them; nothing if the operands' dimensions
// do not suit them.
std::optional<DotDims> ParseDotDims(const JsonValue& config, std::span<const int64_t> lhs,
                                    std::span<const int64_t> rhs);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_CALL_SUPPORT_H_
