// XLA keeps two tables of names, one for computations and one for the instructions of the whole
// module. It renames the second and later uses of a name: x, x.1, x.2, skipping numbers already
// taken.
#include <charconv>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "halo/text/canonical/canonical.h"

namespace halo {
namespace {

class NameUniquer {
 public:
  std::string Unique(std::string_view name) {
    std::string root = Sanitized(name.empty() ? "name" : name);
    int64_t suffix = 0;
    bool has_suffix = false;
    const size_t dot = root.rfind('.');
    if (dot != std::string::npos && dot > 0 && dot + 1 < root.size()) {
      const char* begin = root.data() + dot + 1;
      const char* end = root.data() + root.size();
      const auto [stop, error] = std::from_chars(begin, end, suffix);
      has_suffix = error == std::errc() && stop == end;
      if (has_suffix) {
        root.resize(dot);
      } else {
        suffix = 0;
      }
    }
    Numbers& numbers = numbers_[root];
    if (!numbers.used.insert(suffix).second) {
      while (!numbers.used.insert(numbers.next).second) ++numbers.next;
      suffix = numbers.next++;
    }
    if (suffix == 0) return has_suffix ? root + ".0" : root;
    return root + "." + std::to_string(suffix);
  }

 private:
  struct Numbers {
    int64_t next = 0;
    std::unordered_set<int64_t> used;
  };

  static std::string Sanitized(std::string_view name) {
    std::string clean(name);
    const auto type = ElementTypeFromText(clean);
    if (type && *type != ElementType::kTuple && *type != ElementType::kBuffer) clean += '_';
    if (clean.starts_with("__") && !clean.starts_with("__xla_")) clean[0] = 'a';
    return clean;
  }

  std::unordered_map<std::string, Numbers> numbers_;
};

}  // namespace

void UniquifyNames(Module& module) {
  NameUniquer comps;
  NameUniquer insts;
  const auto rename = [&module](NameUniquer& uniquer, StrId& name) {
    const std::string unique = uniquer.Unique(module.text(name));
    if (unique != module.text(name)) {
      name = module.Str(unique);
      return true;
    }
    return false;
  };
  for (const CompId id : module.order) {
    Computation& comp = module.comps[id.index()];
    rename(comps, comp.name);
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      Inst& inst = module.insts[i];
      if ((inst.flags & kInstImplicit) != 0) {
        inst.name = module.Str("get-tuple-element");
        inst.flags &= static_cast<uint8_t>(~kInstImplicit);
      }
      const StrId before = inst.name;
      if (!rename(insts, inst.name)) continue;
      // The scheduling_name in the metadata meant the old name.
      const Attr* metadata = module.Find(inst, AttrKey::k_metadata);
      if (metadata == nullptr) continue;
      const Attr* scheduling = module.Find(AttrListId(metadata->value), AttrKey::k_scheduling_name);
      if (scheduling == nullptr || scheduling->form != AttrForm::kOwnName) continue;
      std::vector<Attr> fields(module.attrs_of(AttrListId(metadata->value)).begin(),
                               module.attrs_of(AttrListId(metadata->value)).end());
      for (Attr& field : fields) {
        if (field.key == AttrKey::k_scheduling_name)
          field = {field.key, AttrForm::kPlain, 0, before.value};
      }
      std::vector<Attr> attrs(module.attrs_of(inst).begin(), module.attrs_of(inst).end());
      for (Attr& attr : attrs) {
        if (attr.key == AttrKey::k_metadata) attr.value = module.Attrs(fields).value;
      }
      inst.attrs = module.Attrs(attrs);
    }
  }
}

}  // namespace halo
