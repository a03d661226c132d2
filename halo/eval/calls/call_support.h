// Shared by the definitions of library calls: reads their configuration, checks their operands (no
// earlier pass does: a custom call accepts any operands) and returns results of the declared
// shapes.
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

// Parses backend_config as JSON or as an MLIR dictionary. Returns an empty object if there is none.
std::optional<JsonValue> ParseCallConfig(std::string_view text);
Result<JsonValue> ReadCallConfig(const OpContext& cx);
// The diagnostic for a backend_config that cannot be read.
Diagnostic BadConfig(const OpContext& cx);

// Returns no diagnostic if there are at least `count` operands and the first `count` are arrays.
std::optional<Diagnostic> NeedArrays(const OpContext& cx, size_t count);

// Returns whether a value has a shape, which its users rely on: the same tuples, and arrays of the
// same types and dimensions but for dynamic ones.
bool HasShape(const OpContext& cx, const Value& value, ShapeId shape);

// Builds the call's value. `parts` are its first results, converted to the declared types. Any
// further results are workspaces and become zeros. Returns a diagnostic if the dimensions are not
// as declared.
Result<Value> FinishCall(const OpContext& cx, std::vector<Array> parts);

// Convert elements to numbers to compute with, and back to an array of the given type.
Result<std::vector<double>> LoadDoubles(const OpContext& cx, const Array& array);
Result<std::vector<Complex>> LoadComplexes(const OpContext& cx, const Array& array);
Array StoreDoubles(const OpContext& cx, ElementType type, std::span<const int64_t> dims,
                   std::span<const double> values);
Array StoreComplexes(const OpContext& cx, ElementType type, std::span<const int64_t> dims,
                     std::span<const Complex> values);

// Returns the product of `sizes` as ElementsIn does: 0 if any is, at most the largest int64. Used
// for work counts and byte counts.
int64_t ProductOrMax(std::initializer_list<int64_t> sizes);

// Parses the dimension numbers of a dot from a call's configuration. Returns nothing if they do not
// match the operands' dimensions. One operand may lack batch dimensions that the other has.
std::optional<DotDims> ParseDotDims(const JsonValue& config, std::span<const int64_t> lhs,
                                    std::span<const int64_t> rhs);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_CALL_SUPPORT_H_
