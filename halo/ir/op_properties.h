// Properties of opcodes that other layers can query instead of listing opcodes: one row for each in
// op_properties.def. What an op computes, which shapes it takes and how it is emitted is defined
// with the op itself.
#ifndef HALO_IR_OP_PROPERTIES_H_
#define HALO_IR_OP_PROPERTIES_H_

#include <cstdint>

#include "halo/ir/opcode.h"

namespace halo {

// The rough purpose of an op. A fusion takes the first of these categories that occurs in it.
enum class OpCategory : uint8_t {
  kMatmul,      // products and convolutions
  kCollective,  // any part of a collective
  kCustomCall,  // no op has it: the target of the call decides
  kReduce,      // reductions, sorts, scatters
  kFusion,      // no op has it: the contents decide
  kElementwise,
  kMovement,  // copies, slices, reshapes, gathers
  kControl,   // loops, calls, branches
  kTuple,     // tuples and their elements, bitcasts, ordering
  kParameter,
  kConstant,
  kOther,
};

// The origin of the arrays and tuples of a result.
enum class OpFlow : uint8_t {
  kComputed,   // all of them are new
  kConstant,   // from the literal
  kParameter,  // from the callers
  kDeviceId,   // the device number
  kToken,      // no data, only ordering
  kForwards,   // operand 0 unchanged
  kBitcast,    // operand 0 in another shape
  kCopy,       // a new array; inside a tuple, the operand's elements
  kTuple,      // a tuple of the operands
  kElement,    // one element of operand 0
  kCall,       // the root of the computation
  kFusion,     // new arrays that the fused computation defines
  kWhile,      // operand 0 or the body's root
  kConditional,
  kAsyncStart,     // ((operands), result of the computation, contexts...)
  kAsyncUpdate,    // the same
  kAsyncDone,      // element 1 of the start
  kCopyStart,      // (new array, operand 0, context)
  kCopyDone,       // element 0 of the start
  kGatherStart,    // (operands, new arrays)
  kPermuteStart,   // (operands, new arrays, contexts...)
  kStartedResult,  // element 1 of such a start
  kReduceStart,    // new arrays
  kReduceDone,     // the result of the start
  kSend,           // (operand 0, context, token)
  kRecvDone,       // (element 0 of the start, token)
  kTransfer,       // other parts of transfers to and from the host or another program
};

// What an op does with the computations it names.
enum class OpCalls : uint8_t {
  kNone,
  kRuns,     // as part of the program: calls, loops, branches, async chains
  kFuses,    // as one kernel
  kApplies,  // to single elements
  kOpaque,   // only the call target knows
};

// Whether an op has effects besides its result.
enum class OpEffect : uint8_t {
  kNone,
  kAlways,
  kStated,  // custom_call_has_side_effect
  // Every member of a group must reach a collective, whether its result is used or not. Inside a
  // fusion, XLA requires a use of some: never, of those without a channel, or always.
  kGroup,
  kGroupWithChannel,
  kGroupUnlessFused,
  kUnknown,  // unknown opcode, so anything is possible
};

// The cost of one element.
enum class CostClass : uint8_t { kFree, kCheap, kDivision, kFunction, kSlowFunction };

// When our compiler may fuse an op into a kernel.
enum class OpFusion : uint8_t {
  kNever,
  kElementwise,
  kMovement,   // reads its operand at other indices
  kSameWidth,  // if the element types are equally wide
  kMinorKept,  // if the minor dimension stays minor, or there are few elements
  kFewParts,   // if there are few parts, or few elements
  kScalar,     // if it is a scalar that the dump does not elide
  kMap,        // if the computation is applied to the operands unchanged
  kReduce,
  kUpdate,
};

// How the elements of the result derive from the operands' elements. This determines what a program
// requires of its inputs, and which integers count the same thing.
enum class OpElements : uint8_t {
  kOther,
  kFirst,         // elements of operand 0, possibly rounded
  kAll,           // elements of any operand
  kConcatenated,  // elements of the operands, concatenated
  kCounted,       // 0, 1, 2, ...
  kChosen,        // elements of operands 1 and 2
  kClamped,       // elements of operand 1, clamped to operands 0 and 2
  kExtreme,       // the maximum or minimum
  kSorted,
  kBits,     // the same bits as another type
  kRounded,  // to integers
  kSummed,
  kAdded,
  kSubtracted,
  kMultiplied,
  kDivided,
  kRemainder,
  kOfPositive,  // defined for positive operands only
  kPower,
  kNormalized,  // by a variance
  kBitwise,
  kRandom,  // from a generator's state
  kCompared,
  kSliced,   // of operand 0, at the position the others give
  kUpdated,  // of operands 0 and 1, at the position the others give
  kGathered,
  kScattered,
  kProducts,  // sums of products
  kOfTarget,  // only the call target knows
};

// Element types that an elementwise op takes.
enum class OperandTypes : uint8_t {
  kAny,
  kFloats,
  kFloatsComplex,
  kNumbers,  // integers, floats, complex
  kIntegers,
  kSignedComplex,  // signed integers, floats, complex
  kIntegersPred,
  kNoPred,
};

// Element type of an elementwise op's result.
enum class ResultType : uint8_t {
  kFirstOperand,
  kSecondOperand,
  kPred,
  kComponent,  // of a complex number; for a real number, its own type
  kMagnitude,  // the same, where the text may omit the result's shape
  kComplex,
  kDeclared,  // any type: given by the instruction's shape
};

// The reduction that a binary op implements.
enum class FoldKind : uint8_t { kNone, kSum, kProduct, kMin, kMax, kAnd, kOr, kXor };

// A collective and its start and done forms.
enum class CollectiveFamily : uint8_t {
  kNone,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kRaggedAllToAll,
  kBroadcast,
  kPermute,
  kReduce,  // to one member of the group
};

// Which operands must share memory with the result.
enum class InPlaceRule : uint8_t {
  kNone,
  kLeaves,  // operands with a result: one, or one per element of the tuple
  kFirst,
  kSecond,
  kPermuteTarget,  // operand 1, if slice_sizes are given
  kFused,          // what the fused computation updates, and what the fusion declares
  kStated,         // output_to_operand_aliasing
  kWrapped,        // what the wrapped computation updates
};

// The arithmetic that the cost of a program counts, by XLA's conventions: a multiplication and an
// addition are two flops, a transcendental function is counted apart from flops, data movement is
// none.
enum class OpWork : uint8_t {
  kNone,
  kElement,    // one flop for each element of the result
  kFunction,   // one transcendental for each element of the result
  kMapped,     // the computation, for each element of the result
  kReduced,    // the computation, for each element that the result does not have
  kWindowed,   // the computation, for each element of each window but one
  kSelected,   // one computation for each element of each window but one, another for each update
  kScattered,  // the computation, for each update
  kProduct,
  kConvolution,
  kFft,
  kTriangular,
  kCholesky,
  kSorted,    // n log n comparisons
  kFused,     // what the fused computation does
  kOfTarget,  // only the call target knows
};

// How much of operand 0 an op reads. It reads all of its other operands.
enum class OpReads : uint8_t {
  kAll,
  kTouched,   // as much as the result holds
  kTriangle,  // half
};

enum OpFlags : uint32_t {
  kNoFlags = 0,
  kFoldable = 1 << 0,         // can be computed at compile time if its operands are constants
  kRecomputable = 1 << 1,     // costs little more than the memory traffic of its result
  kMovable = 1 << 2,          // may run at another time or twice; plans may change only such ops
  kExact = 1 << 3,            // requires no rounding if its operands required none
  kRelayouts = 1 << 4,        // operand 0 in another order or shape, as layouts require
  kGenerates = 1 << 5,        // writes memory without reading as much
  kDiffersByDevice = 1 << 6,  // even if the operands are equal
  kKeepsPrecision = 1 << 7,   // operand and result must have the same float type
  kMixesPrecision = 1 << 8,   // operands may have several float types
  kPassesAsync = 1 << 9,      // may hold the result of an unfinished start
  kHoldsPinned = 1 << 10,     // may hold a buffer that must not be copied
};

struct OpProperties {
  OpCategory category = OpCategory::kOther;
  OpFlow flow = OpFlow::kComputed;
  OpCalls calls = OpCalls::kNone;
  OpEffect effect = OpEffect::kNone;
  CostClass cost = CostClass::kCheap;
  OpFusion fusion = OpFusion::kNever;
  uint32_t flags = kNoFlags;
  OpElements elements = OpElements::kOther;
  OperandTypes types = OperandTypes::kAny;
  ResultType result = ResultType::kFirstOperand;
  FoldKind fold = FoldKind::kNone;
  CollectiveFamily group = CollectiveFamily::kNone;
  InPlaceRule in_place = InPlaceRule::kNone;
  Opcode sync = Opcode::kUnknown;     // for a start: the equivalent synchronous op
  Opcode partner = Opcode::kUnknown;  // for a start, its done; for a done, its start
  OpWork work = OpWork::kNone;
  OpReads reads = OpReads::kAll;
};

const OpProperties& PropertiesOf(Opcode opcode);
inline OpFlow FlowOf(Opcode opcode) { return PropertiesOf(opcode).flow; }
inline bool HasFlag(Opcode opcode, OpFlags flag) {
  return (PropertiesOf(opcode).flags & flag) != 0;
}

// The synchronous collective if `opcode` starts one, otherwise `opcode`.
Opcode SynchronousOf(Opcode opcode);

// True if the result consists of the operands' arrays, so that the op itself computes and stores
// nothing but pointers.
bool PassesValuesOn(Opcode opcode);

}  // namespace halo

#endif  // HALO_IR_OP_PROPERTIES_H_
