// Rebuilds the stack tables from the frames in use, outermost caller first, with equal rows merged.
#include <map>
#include <tuple>

#include "halo/text/canonical/canonical.h"

namespace halo {
namespace {

class StackBuilder {
 public:
  explicit StackBuilder(const StackTables& old) : old_(old) {}

  // The new number of frame `id`, or 0 if the chain is broken.
  int64_t Renumbered(int64_t id) {
    std::vector<int64_t> chain;
    for (int64_t at = id; at != 0;) {
      if (at < 0 || static_cast<size_t>(at) > old_.stack_frames.size() ||
          chain.size() > old_.stack_frames.size()) {
        return 0;
      }
      if (known_.contains(at)) break;
      chain.push_back(at);
      // The text counts parents from 1, where 1 means none.
      at = old_.stack_frames[static_cast<size_t>(at - 1)].parent_frame_id - 1;
    }
    while (!chain.empty()) {
      const int64_t at = chain.back();
      chain.pop_back();
      const StackFrame& frame = old_.stack_frames[static_cast<size_t>(at - 1)];
      const int64_t parent = frame.parent_frame_id - 1;
      const int64_t location = Location(frame.file_location_id);
      if (location == 0) return 0;
      known_[at] = Row(frames_, std::pair(location, parent == 0 ? 0 : known_[parent]), [&] {
        made.stack_frames.push_back({location, (parent == 0 ? 0 : known_[parent]) + 1});
        return made.stack_frames.size();
      });
    }
    return known_[id];
  }

  StackTables made;

 private:
  template <class Key, class Map, class Add>
  static int64_t Row(Map& rows, const Key& key, const Add& add) {
    const auto found = rows.find(key);
    if (found != rows.end()) return found->second;
    const auto number = static_cast<int64_t>(add());
    rows.emplace(key, number);
    return number;
  }

  static int64_t Name(int64_t id, const std::vector<StrId>& names, std::vector<StrId>& made_names,
                      std::map<uint32_t, int64_t>& rows) {
    if (id < 1 || static_cast<size_t>(id) > names.size()) return 0;
    const StrId name = names[static_cast<size_t>(id - 1)];
    return Row(rows, name.value, [&] {
      made_names.push_back(name);
      return made_names.size();
    });
  }

  int64_t Location(int64_t id) {
    if (id < 1 || static_cast<size_t>(id) > old_.file_locations.size()) return 0;
    FileLocation at = old_.file_locations[static_cast<size_t>(id - 1)];
    at.file_name_id = Name(at.file_name_id, old_.file_names, made.file_names, files_);
    at.function_name_id =
        Name(at.function_name_id, old_.function_names, made.function_names, functions_);
    if (at.file_name_id == 0 || at.function_name_id == 0) return 0;
    const auto key = std::tuple(at.file_name_id, at.function_name_id, at.line, at.column,
                                at.end_line, at.end_column);
    return Row(locations_, key, [&] {
      made.file_locations.push_back(at);
      return made.file_locations.size();
    });
  }

  const StackTables& old_;
  std::map<int64_t, int64_t> known_;
  std::map<uint32_t, int64_t> files_, functions_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>, int64_t> locations_;
  std::map<std::pair<int64_t, int64_t>, int64_t> frames_;
};

}  // namespace

void RenumberStackFrames(Module& module) {
  const StackTables old = module.stack;
  StackBuilder builder(old);
  std::vector<Attr> fields;
  std::vector<Attr> attrs;
  for (const CompId id : module.order) {
    const Computation& comp = module.comp(id);
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      Inst& inst = module.insts[i];
      const AttrListId metadata = module.MetadataOf(inst);
      const int64_t frame = module.IntOr(metadata, AttrKey::k_stack_frame_id, 0);
      if (frame == 0) continue;
      const int64_t renumbered = builder.Renumbered(frame);
      if (renumbered == frame) continue;
      fields.clear();
      for (const Attr& field : module.attrs_of(metadata)) {
        if (field.key != AttrKey::k_stack_frame_id) {
          fields.push_back(field);
        } else if (renumbered != 0) {
          fields.push_back(Attr{field.key, AttrForm::kPlain, 0, static_cast<uint32_t>(renumbered)});
        }
      }
      const AttrListId renumbered_list = module.Attrs(fields);
      attrs.clear();
      for (const Attr& attr : module.attrs_of(inst)) {
        if (attr.key != AttrKey::k_metadata) {
          attrs.push_back(attr);
        } else if (!fields.empty()) {
          attrs.push_back(Attr{attr.key, attr.form, 0, renumbered_list.value});
        }
      }
      inst.attrs = module.Attrs(attrs);
    }
  }
  module.stack = std::move(builder.made);
}

}  // namespace halo
