// Attributes: a key and a value, eight bytes. attrs.def gives the kind of value of each key;
// AttrKind below documents how each kind is stored. An instruction's attributes are one interned
// list in the order they were read, so that text prints back unchanged and equal lists cost
// nothing.
#ifndef HALO_IR_ATTRIBUTES_ATTR_H_
#define HALO_IR_ATTRIBUTES_ATTR_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace halo {

enum class AttrKey : uint16_t {
#define HALO_ATTR(name, kind, scope) k_##name,
#include "halo/ir/attributes/attrs.def"
};

// How to interpret Attr::value. "list" means Module::ints unless noted otherwise.
enum class AttrKind : uint8_t {
  kInt,            // inline, or a one-element list (AttrForm::kListed)
  kBool,           // inline 0 or 1
  kNumber,         // string: the number's text
  kWord,           // string: a bare word
  kWords,          // list of string ids
  kInts,           // list; AttrForm::kNested: [count, length, items..., length, items...]
  kBools,          // list of 0 and 1; AttrForm::kBare if written without braces
  kString,         // string, unescaped
  kConfig,         // string, unescaped; AttrForm::kQuoted or kBare (raw JSON)
  kComp,           // a CompId
  kCompList,       // list of CompIds; AttrForm::kBare if written without braces
  kInsts,          // list of InstIds of the same computation
  kWindow,         // list: see window.h
  kSlices,         // list: start, limit, stride per dimension; stride 0 if not written
  kPadding,        // list: low, high, interior of each; AttrForm::kNested if interior was written
  kDimLabels,      // string
  kSharding,       // string in sharding.h's notation
  kGroups,         // string in replica_groups.h's notation
  kMetadata,       // an AttrListId of Meta keys
  kShape,          // a ShapeId
  kShapes,         // list of ShapeIds
  kProgramLayout,  // list of ShapeIds: result, then parameters
  kLiteral,        // a LiteralId
  kAliasing,       // list: see aliasing.h
  kDonors,         // list: see aliasing.h
  kDict,           // list of triples: key and value string ids, and an AttrForm
  kVerbatim,       // string: the original text; for key `unknown` a list of name and text
};

enum class AttrForm : uint8_t { kPlain, kListed, kNested, kBare, kQuoted, kOwnName };

enum class AttrScope : uint8_t { kOp, kAny, kModule, kMeta, kRemoved };

struct Attr {
  AttrKey key;
  AttrForm form = AttrForm::kPlain;
  uint8_t unused = 0;
  uint32_t value = 0;
  friend bool operator==(const Attr&, const Attr&) = default;
};
static_assert(sizeof(Attr) == 8);

struct AttrKeyInfo {
  std::string_view text;
  AttrKind kind;
  AttrScope scope;
};

const AttrKeyInfo& InfoOf(AttrKey key);
size_t AttrKeyCount();
inline std::string_view TextOf(AttrKey key) { return InfoOf(key).text; }
std::optional<AttrKey> AttrKeyFromText(std::string_view text);

}  // namespace halo

#endif  // HALO_IR_ATTRIBUTES_ATTR_H_
