// What other layers may ask about an opcode without listing opcodes: one row for each in
// op_properties.def. What an op computes, which shapes it takes and how it is emitted stays with
// its definitions.
#ifndef HALO_IR_OP_PROPERTIES_H_
#define HALO_IR_OP_PROPERTIES_H_

#include <cstdint>

#include "halo/ir/opcode.h"

namespace halo {

// What an op is for, roughly; a fusion is what the first of these in it is.
enum class OpCategory : uint8_t {
  kMatmul,      // products and convolutions
  kCollective,  // any part of one
  kCustomCall,  // of no op: the call's target decides
  kReduce,      // reductions, sorts, scatters
  kFusion,      // of no op: what is inside decides
  kElementwise,
  kMovement,  // copies, slices, reshapes, gathers
  kControl,   // loops, calls, branches
  kTuple,     // tuples and their elements, bitcasts, orderings
  kParameter,
  kConstant,
  kOther,
};

// Where the arrays and tuples of a result come from.
enum class OpFlow : uint8_t {
  kComputed,   // all of them are new
  kConstant,   // from the literal
  kParameter,  // from the callers
  kDeviceId,   // the number of the device
  kToken,      // no data, only an order
  kForwards,   // operand 0 as it is
  kBitcast,    // operand 0 in another shape
  kCopy,       // a new array; below a tuple, what the operand holds
  kTuple,      // the operands, side by side
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
  kReduceDone,     // what the start yields
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
  kOpaque,   // only the target of the call knows
};

// Whether an op does more than yield its result.
enum class OpEffect : uint8_t {
  kNone,
  kAlways,
  kStated,  // custom_call_has_side_effect
  // Every member of a group has to reach a collective, whether its result is used or not. Inside a
  // fusion XLA itself requires a use of some: always, of those without a channel, or never.
  kGroup,
  kGroupWithChannel,
  kGroupUnlessFused,
  kUnknown,  // the opcode is not known, so anything is possible
};

// What one element costs.
enum class CostClass : uint8_t { kFree, kCheap, kDivision, kFunction, kSlowFunction };

// When an op may become part of a kernel that this machine's compiler makes.
enum class OpFusion : uint8_t {
  kNever,
  kElementwise,
  kMovement,   // reads its operand at other indices
  kSameWidth,  // if the element types are equally wide
  kMinorKept,  // if the minor dimension stays minor, or there are few elements
  kFewParts,   // if the parts are few, or there are few elements
  kScalar,     // if it is a scalar that the dump holds
  kMap,        // if the computation is applied to the operands as they are
  kReduce,
  kUpdate,
};

// What the elements of the result are in terms of the operands' elements. It decides what a program
// needs of its inputs, and which integers count the same thing.
enum class OpElements : uint8_t {
  kOther,
  kFirst,    // elements of operand 0, rounded perhaps
  kAll,      // elements of any operand
  kJoined,   // elements of the operands one after another
  kCounted,  // 0, 1, 2, ...
  kChosen,   // of operands 1 and 2
  kClamped,  // of operand 1, within operands 0 and 2
  kExtreme,  // the larger or smaller
  kSorted,
  kBits,     // the same bits as another type
  kRounded,  // to whole numbers
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
  kSliced,   // of operand 0, from where the others say
  kUpdated,  // of operands 0 and 1, from where the others say
  kGathered,
  kScattered,
  kProducts,  // sums of products
  kOfTarget,  // only the target of the call knows
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

// Element type that an elementwise op yields.
enum class ResultType : uint8_t {
  kFirstOperand,
  kSecondOperand,
  kPred,
  kComponent,  // of a complex number; a real number's own type
  kMagnitude,  // the same, where the text may leave the result's shape out
  kComplex,
  kDeclared,  // any: the instruction's shape says
};

// Which reduction an op of two elements makes.
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
  kReduce,  // to one member
};

// Which operands must share memory with the result.
enum class InPlaceRule : uint8_t {
  kNone,
  kLeaves,  // the operands that have a result: one, or one for each element of the tuple
  kFirst,
  kSecond,
  kPermuteTarget,  // operand 1, if slice_sizes are given
  kFused,          // what the fused computation updates, and what the fusion states
  kStated,         // output_to_operand_aliasing
  kWrapped,        // what the wrapped computation updates
};

enum OpFlags : uint32_t {
  kNoFlags = 0,
  kFoldable = 1 << 0,         // of constants, may be computed once and for all
  kRecomputable = 1 << 1,     // costs little more than the memory traffic of its result
  kMovable = 1 << 2,          // may run at another time, or twice; only then a plan may change
  kExact = 1 << 3,            // needs no rounding if the operands did not
  kRelayouts = 1 << 4,        // operand 0 in another order or shape, as layouts require it
  kGenerates = 1 << 5,        // fills memory without reading as much
  kDiffersByDevice = 1 << 6,  // even if the operands agree
  kKeepsPrecision = 1 << 7,   // operand and result must have the same float type
  kMixesPrecision = 1 << 8,   // operands may have several float types
  kPassesAsync = 1 << 9,      // may hold the result of a start that is not done
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
  Opcode sync = Opcode::kUnknown;     // of a start: the op that does all of it at once
  Opcode partner = Opcode::kUnknown;  // of a start its done, of a done its start
};

const OpProperties& PropertiesOf(Opcode opcode);
inline OpFlow FlowOf(Opcode opcode) { return PropertiesOf(opcode).flow; }
inline bool HasFlag(Opcode opcode, OpFlags flag) {
  return (PropertiesOf(opcode).flags & flag) != 0;
}

// The collective that `opcode` starts, or `opcode` itself.
Opcode SynchronousOf(Opcode opcode);

// True if the result is made of the operands' arrays, so that the op itself computes and stores
// nothing but pointers.
bool PassesValuesOn(Opcode opcode);

}  // namespace halo

#endif  // HALO_IR_OP_PROPERTIES_H_
