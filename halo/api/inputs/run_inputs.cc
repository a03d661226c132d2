// Shapes are checked first; arrays are read only once everything is known to fit.
#include "halo/api/inputs/run_inputs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/inputs/array_file.h"
#include "halo/api/inputs/array_names.h"
#include "halo/api/inputs/input_archives.h"
#include "halo/base/capped.h"
#include "halo/base/containers/aligned_block.h"
#include "halo/eval/collectives/shards.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/semantics/facts/parameters.h"

namespace halo {
namespace {

constexpr size_t kMaxListed = 8;  // names listed in one message

std::string DimsText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

std::string PathText(std::span<const int64_t> path) {
  std::string text;
  for (const int64_t index : path) text += "." + std::to_string(index);
  return text;
}

using Found = InputArchives::Found;

class Matcher {
 public:
  Matcher(const Module& module, const InputSources& sources, Diagnostics& diagnostics)
      : module_(module), sources_(sources), diagnostics_(diagnostics) {}

  RunInputs Run();

 private:
  void Fail(DiagCode code, std::string message) {
    diagnostics_.Add(MakeBinaryDiagnostic(code, 0, std::move(message)));
  }
  void NameLeaves();
  void CheckLeaf(size_t leaf);
  void CheckMissing();
  [[nodiscard]] bool CheckFound(size_t leaf, const Found& found);
  void Fill(size_t leaf);
  void FillRandom(RunInput& input);
  [[nodiscard]] std::optional<Sharding> ShardingOf(const RunInput& input) const;
  [[nodiscard]] std::vector<int64_t> PartsOf(const RunInput& input) const;
  // "parameter 3 (%w, f32[8,4])"
  [[nodiscard]] std::string About(size_t leaf) const;
  [[nodiscard]] size_t devices() const { return static_cast<size_t>(sources_.devices); }
  // The devices whose arrays are filled.
  [[nodiscard]] std::vector<size_t> Wanted() const;
  [[nodiscard]] std::vector<size_t> AllDevices() const;
  [[nodiscard]] bool FindSlice(size_t leaf, const Found& whole);

  const Module& module_;
  const InputSources& sources_;
  Diagnostics& diagnostics_;
  RunInputs inputs_;
  std::optional<InputArchives> archives_;
  std::vector<Tiling> tilings_;  // of leaves given as shards, or as a whole to slice
};

std::string Matcher::About(size_t leaf) const {
  const RunInput& input = inputs_.list[leaf];
  return "parameter " + std::to_string(input.leaf.parameter) + " (%" + input.parameter + ", " +
         module_.shapes.Text(input.leaf.shape, false) + ")";
}

void Matcher::NameLeaves() {
  const std::vector<InputLeaf> leaves = InputLeaves(module_);
  for (size_t i = 0; i < leaves.size(); ++i) {
    RunInput input;
    input.leaf = leaves[i];
    input.name = MakeArrayName("in", i, std::nullopt);
    input.parameter =
        std::string(module_.name_of(module_.inst(input.leaf.inst))) + PathText(input.leaf.path);
    inputs_.list.push_back(std::move(input));
  }
  tilings_.resize(leaves.size());
  std::vector<std::string> names;
  std::vector<std::string> abouts;
  for (size_t i = 0; i < leaves.size(); ++i) {
    names.push_back(inputs_.list[i].parameter);
    abouts.push_back(About(i));
  }
  archives_.emplace(std::move(names), std::move(abouts), sources_.devices, diagnostics_);
}

std::optional<Sharding> Matcher::ShardingOf(const RunInput& input) const {
  const std::string_view text =
      module_.TextOr(module_.inst(input.leaf.inst).attrs, AttrKey::k_sharding);
  if (text.empty() || !input.leaf.path.empty()) return std::nullopt;
  return ParseSharding(text);
}

std::vector<size_t> Matcher::Wanted() const {
  if (sources_.only >= 0) return {static_cast<size_t>(sources_.only)};
  return AllDevices();
}

std::vector<size_t> Matcher::AllDevices() const {
  std::vector<size_t> all(devices());
  for (size_t d = 0; d < all.size(); ++d) all[d] = d;
  return all;
}

// True if slicing this array by the parameter's sharding yields the shape that each device takes.
bool Matcher::FindSlice(size_t leaf, const Found& whole) {
  RunInput& input = inputs_.list[leaf];
  const std::optional<Sharding> sharding = ShardingOf(input);
  if (!sharding || sources_.devices == 1) return false;
  std::optional<Tiling> tiling = TilingOf(*sharding, whole.header.dims, sources_.devices);
  if (!tiling || !std::ranges::equal(tiling->tile, module_.shapes.dims(input.leaf.shape))) {
    return false;
  }
  tilings_[leaf] = *std::move(tiling);
  input.sliced = true;
  return true;
}

// All arrays of a leaf must have its type, and its dimensions or those of its shards.
bool Matcher::CheckFound(size_t leaf, const Found& found) {
  const RunInput& input = inputs_.list[leaf];
  const ElementType type = module_.shapes.type(input.leaf.shape);
  if (!IsStoredAs(found.header.type, type)) {
    Fail(diag::kInputType, archives_->TextOf(found) + " is " + TextOf(found.header.type) + "; " +
                               About(leaf) + " takes " + TextOf(StoredTypeOf(type)));
    return false;
  }
  const std::span<const int64_t> dims = module_.shapes.dims(input.leaf.shape);
  if (std::ranges::equal(found.header.dims, dims)) return true;
  bool smaller =
      module_.shapes.has_dynamic(input.leaf.shape) && found.header.dims.size() == dims.size();
  for (size_t d = 0; smaller && d < dims.size(); ++d) {
    smaller = module_.shapes.is_dynamic(input.leaf.shape, d) ? found.header.dims[d] <= dims[d]
                                                             : found.header.dims[d] == dims[d];
  }
  if (smaller) return true;
  const Tiling& tiling = tilings_[leaf];
  if (!tiling.corners.empty() && std::ranges::equal(found.header.dims, tiling.tile)) return true;
  Fail(diag::kInputShape, archives_->TextOf(found) + " is " + std::string(TextOf(type)) +
                              DimsText(found.header.dims) + "; it is for " + About(leaf));
  return false;
}

void Matcher::CheckLeaf(size_t leaf) {
  RunInput& input = inputs_.list[leaf];
  if (!module_.shapes.is_array(input.leaf.shape)) return;
  const std::vector<Found>& slots = archives_->FoundFor(leaf);
  const bool has_all = std::all_of(slots.begin() + 1, slots.end(),
                                   [](const Found& found) { return !found.empty(); });
  const std::span<const int64_t> dims = module_.shapes.dims(input.leaf.shape);
  if (has_all && !std::ranges::equal(slots[1].header.dims, dims)) {
    if (const std::optional<Sharding> sharding = ShardingOf(input)) {
      tilings_[leaf] = TilingOf(*sharding, dims, sources_.devices).value_or(Tiling());
    }
  }
  const bool is_other = !slots[0].empty() && !module_.shapes.has_dynamic(input.leaf.shape) &&
                        !std::ranges::equal(slots[0].header.dims, dims);
  if (is_other && FindSlice(leaf, slots[0])) {
    const ElementType type = module_.shapes.type(input.leaf.shape);
    if (IsStoredAs(slots[0].header.type, type)) return;
  }
  bool ok = true;
  for (const Found& found : slots) ok = ok && (found.empty() || CheckFound(leaf, found));
  const bool is_shards = ok && has_all && !tilings_[leaf].corners.empty() &&
                         std::all_of(slots.begin() + 1, slots.end(), [&](const Found& found) {
                           return std::ranges::equal(found.header.dims, tilings_[leaf].tile);
                         });
  if (!is_shards) tilings_[leaf] = {};
  input.gathered = is_shards;
}

void Matcher::CheckMissing() {
  std::string names;
  size_t count = 0;
  for (size_t leaf = 0; leaf < inputs_.list.size(); ++leaf) {
    const RunInput& input = inputs_.list[leaf];
    if (!module_.shapes.is_array(input.leaf.shape)) continue;
    const std::vector<Found>& slots = archives_->FoundFor(leaf);
    size_t missing = 0;
    for (size_t d = 1; d < slots.size(); ++d) missing += slots[d].empty() ? 1 : 0;
    if (!slots[0].empty() || missing == 0 || sources_.random) continue;
    if (++count > kMaxListed) continue;
    names += (count > 1 ? ", " : "") + input.name;
    if (missing < devices()) {
      for (size_t d = 1; d < slots.size(); ++d) {
        if (!slots[d].empty()) continue;
        names += " on device " + std::to_string(d - 1);
        break;
      }
    }
    names += " for " + About(leaf);
  }
  if (count == 0) return;
  if (count > kMaxListed) names += " and " + std::to_string(count - kMaxListed) + " more";
  Diagnostic missing = MakeBinaryDiagnostic(diag::kInputMissing, 0, "missing input " + names);
  missing.help = sources_.files.empty()
                     ? "provide the inputs with --inputs FILE.npz, or generate them: --random SEED"
                     : "add the arrays to the archive, or generate the missing ones: --random SEED";
  diagnostics_.Add(std::move(missing));
}

// Devices that hold the same tile get the same elements. So do all devices for a scalar, which may
// control a loop that contains collectives.
std::vector<int64_t> Matcher::PartsOf(const RunInput& input) const {
  std::vector<int64_t> parts(devices(), 0);
  const std::span<const int64_t> dims = module_.shapes.dims(input.leaf.shape);
  if (devices() == 1 || dims.empty()) return parts;
  const std::optional<Sharding> sharding = ShardingOf(input);
  if (sharding && sharding->kind == ShardingKind::kReplicated) return parts;
  const std::optional<Tiling> tiling =
      sharding ? TilingOf(*sharding, dims, sources_.devices) : std::nullopt;
  for (size_t d = 0; d < parts.size(); ++d) {
    parts[d] = static_cast<int64_t>(d);
    if (!tiling) continue;
    const auto first = std::ranges::find(tiling->corners, tiling->corners[d]);
    parts[d] = first - tiling->corners.begin();
  }
  return parts;
}

void Matcher::FillRandom(RunInput& input) {
  RandomInput random;
  random.seed = *sources_.random;
  random.parameter = input.leaf.parameter;
  random.use = input.use;
  random.leaf = input.leaf.ordinal;
  const std::vector<int64_t> parts = PartsOf(input);
  const bool all_same = std::ranges::all_of(parts, [](int64_t part) { return part == 0; });
  std::unordered_map<int64_t, Array> made;
  for (const size_t device : all_same ? std::vector<size_t>{0} : Wanted()) {
    const int64_t part = parts[device];
    random.part = part;
    const auto [at, added] = made.try_emplace(part);
    if (added) {
      at->second = MakeRandomInput(module_.shapes.type(input.leaf.shape),
                                   module_.shapes.dims(input.leaf.shape), random);
    }
    input.arrays.push_back(at->second);
  }
}

void Matcher::Fill(size_t leaf) {
  RunInput& input = inputs_.list[leaf];
  if (!module_.shapes.is_array(input.leaf.shape)) return;
  const ElementType type = module_.shapes.type(input.leaf.shape);
  const std::vector<Found>& slots = archives_->FoundFor(leaf);
  const bool any_own = std::any_of(slots.begin() + 1, slots.end(),
                                   [](const Found& found) { return !found.empty(); });
  if (slots[0].empty() && !any_own) return FillRandom(input);
  input.source = archives_->PathOf(
      *std::ranges::find_if(slots, [](const Found& found) { return !found.empty(); }));
  if (input.sliced) {
    const Array whole = archives_->Read(slots[0], type);
    if (!diagnostics_.ok()) return;
    for (const size_t d : Wanted()) {
      input.arrays.push_back(ShardOf(whole, tilings_[leaf], static_cast<int64_t>(d)));
    }
    return;
  }
  if (!slots[0].empty()) input.arrays.push_back(archives_->Read(slots[0], type));
  if (!any_own) return;
  if (slots[0].empty() && sources_.random) FillRandom(input);
  // A device without its own array uses the one given for all devices, or a generated one.
  std::vector<Array> own;
  const std::vector<size_t> wanted = input.gathered ? AllDevices() : Wanted();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!slots[wanted[i] + 1].empty()) {
      own.push_back(archives_->Read(slots[wanted[i] + 1], type));
    } else {
      own.push_back(input.arrays[input.arrays.size() == 1 ? 0 : i]);
    }
  }
  input.arrays = std::move(own);
  if (!input.gathered || !diagnostics_.ok()) return;
  input.arrays = {
      GatherShards(input.arrays, tilings_[leaf], module_.shapes.dims(input.leaf.shape))};
}

RunInputs Matcher::Run() {
  NameLeaves();
  for (size_t i = 0; i < inputs_.list.size(); ++i) {
    const ShapeId shape = inputs_.list[i].leaf.shape;
    const std::optional<int64_t> count = module_.shapes.ElementCount(shape);
    const bool is_data = module_.shapes.is_array(shape);
    if (!is_data && module_.shapes.type(shape) == ElementType::kToken) continue;
    if (!is_data || !count) {
      Fail(diag::kInputUnsupported, About(i) + " has a type that cannot be an input");
      continue;
    }
    const auto width = static_cast<int64_t>(StoredBytes(module_.shapes.type(shape)));
    inputs_.bytes = AddCapped(inputs_.bytes, MultiplyCapped(*count, width));
  }
  if (diagnostics_.ok()) archives_->Open(sources_.files, sources_.arrays);
  for (size_t i = 0; i < inputs_.list.size(); ++i) CheckLeaf(i);
  if (diagnostics_.ok()) CheckMissing();
  if (inputs_.bytes > sources_.max_bytes) {
    Fail(diag::kMemoryLimit, "the inputs take " + std::to_string(inputs_.bytes) +
                                 " bytes, beyond the limit of " +
                                 std::to_string(sources_.max_bytes));
  } else if (!AlignedBlock::IsAvailable(inputs_.bytes)) {
    Fail(diag::kMemoryLimit, "the inputs take " + std::to_string(inputs_.bytes) +
                                 " bytes, for which the system has no memory");
  }
  if (!diagnostics_.ok()) return std::move(inputs_);
  const std::vector<InputUse> uses = InferInputRoles(module_);
  for (size_t i = 0; i < inputs_.list.size(); ++i) inputs_.list[i].use = uses[i];
  for (size_t i = 0; i < inputs_.list.size() && diagnostics_.ok(); ++i) Fill(i);
  return std::move(inputs_);
}

// Builds the value of a shape from arrays in leaf order.
Value Assemble(const Module& module, ShapeId shape, std::span<const Array> leaves, size_t& next) {
  if (!module.shapes.is_tuple(shape)) {
    const Array& array = leaves[next++];
    return module.shapes.is_array(shape) ? Value(array) : Value::Token();
  }
  std::vector<Value> elements;
  for (const ShapeId element : module.shapes.elements(shape)) {
    elements.push_back(Assemble(module, element, leaves, next));
  }
  return Value::Tuple(std::move(elements));
}

}  // namespace

std::vector<Value> RunInputs::ArgumentsOf(const Module& module, int64_t device) const {
  std::vector<Array> leaves;
  for (const RunInput& input : list) {
    if (input.arrays.empty()) {
      leaves.emplace_back();
    } else {
      leaves.push_back(input.arrays[input.arrays.size() == 1 ? 0 : static_cast<size_t>(device)]);
    }
  }
  std::vector<Value> arguments;
  size_t next = 0;
  for (const InstId id : ParametersOf(module, module.entry)) {
    if (!id.valid()) continue;
    arguments.push_back(Assemble(module, module.inst(id).shape, leaves, next));
  }
  return arguments;
}

RunInputs FindInputs(const Module& module, const InputSources& sources, Diagnostics& diagnostics) {
  return Matcher(module, sources, diagnostics).Run();
}

}  // namespace halo
