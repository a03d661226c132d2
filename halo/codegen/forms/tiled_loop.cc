// Tiles and their transposition.
#include "halo/codegen/forms/tiled_loop.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>

#include "halo/base/capped.h"
#include "halo/codegen/forms/stream_out.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kTile = 64;
constexpr size_t kMostTurned = 4;
constexpr int64_t kTileGrainWork = 65536;

// Side of the square blocks that are transposed at once.
int64_t BlockOf(size_t bytes) { return bytes == 8 ? 8 : 16; }

// Transposes a block in registers: rows[r][l] becomes rows[l][r].
void TransposeRows(llvm::IRBuilderBase& b, Values& rows) {
  const size_t n = rows.size();
  for (size_t bit = 1; bit < n; bit *= 2) {
    std::vector<int> low;
    std::vector<int> high;
    for (size_t lane = 0; lane < n; ++lane) {
      const bool set = (lane & bit) != 0;
      low.push_back(static_cast<int>(set ? n + (lane ^ bit) : lane));
      high.push_back(static_cast<int>(set ? n + lane : lane | bit));
    }
    for (size_t r = 0; r < n; ++r) {
      if ((r & bit) != 0) continue;
      llvm::Value* x = rows[r];
      llvm::Value* y = rows[r | bit];
      rows[r] = b.CreateShuffleVector(x, y, low);
      rows[r | bit] = b.CreateShuffleVector(x, y, high);
    }
  }
}

// Whether the load is within its array at every position of the loops. A load under a condition,
// as of one operand of a concatenate, need not be, and a tile loads all of its positions.
bool IsAlwaysInside(const LoadSite& site, const LoopSpace& loops, const ArrayView& array) {
  int64_t first = site.constant, last = site.constant;
  for (size_t dim = 0; dim < site.factors.size(); ++dim) {
    const int64_t most = MultiplyCapped(site.factors[dim], loops.dims[dim] - 1);
    (most < 0 ? first : last) = AddCapped(most < 0 ? first : last, most);
  }
  return first >= 0 && last < array.count;
}

class Tiler {
 public:
  Tiler(BodyPtr body, LoopSpace loops, ElementCode code, std::vector<LoadSite> turned,
        size_t across, std::vector<size_t> streamed)
      : body_(std::move(body)),
        loops_(std::move(loops)),
        code_(std::move(code)),
        turned_(std::move(turned)),
        across_(across),
        streamed_(std::move(streamed)),
        inner_(loops_.groups.size() - 1),
        width_(VectorWidth(*body_)) {
    for (size_t g = 0; g < inner_; ++g) {
      if (g != across_) outer_.push_back(g);
    }
  }

  KernelPart Part() const {
    const int64_t tiles_across = Tiles(across_);
    const int64_t tiles_inner = Tiles(inner_);
    int64_t outer = 1;
    for (const size_t g : outer_) outer *= loops_.size(g);
    KernelPart part;
    part.iterations = outer * tiles_across * tiles_inner;
    part.grain = std::max<int64_t>(1, kTileGrainWork / (kTile * kTile));
    part.code = [self = *this, tiles_across, tiles_inner](KernelFrame& frame) {
      const Index variables = self.loops_.Variables(frame.space);
      Index inner;
      for (const size_t dim : self.loops_.groups[self.inner_]) inner.push_back(variables[dim]);
      frame.emitter.SetInner(inner);
      Values local;
      for (const LoadSite& site : self.turned_) {
        local.push_back(frame.Local(self.Stored(frame, site), kTile * kTile));
      }
      std::optional<StreamOut> stream;
      if (!self.streamed_.empty()) stream.emplace(frame, self.streamed_, kTile);
      EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
               [&](llvm::Value* number, const Values&) {
                 llvm::Value* i = frame.b.CreateURem(number, frame.Number(tiles_inner));
                 number = frame.b.CreateUDiv(number, frame.Number(tiles_inner));
                 llvm::Value* g = frame.b.CreateURem(number, frame.Number(tiles_across));
                 SetDigits(frame, self.loops_, variables, self.outer_,
                           frame.b.CreateUDiv(number, frame.Number(tiles_across)));
                 self.Tile(frame, variables, local, self.Extent(frame, self.across_, g),
                           self.Extent(frame, self.inner_, i), stream ? &*stream : nullptr);
                 return Values();
               });
    };
    return part;
  }

 private:
  struct TileRange {
    llvm::Value* from;
    llvm::Value* size;
    bool full;  // always kTile elements
  };

  [[nodiscard]] int64_t Tiles(size_t group) const {
    return (loops_.size(group) + kTile - 1) / kTile;
  }
  [[nodiscard]] llvm::Type* Stored(KernelFrame& frame, const LoadSite& site) const {
    return StoredType(frame.b.getContext(), body_->buffers[site.leaf].type);
  }
  [[nodiscard]] int64_t Factor(const LoadSite& site, size_t group) const {
    return site.factors[loops_.groups[group].back()];
  }

  TileRange Extent(KernelFrame& frame, size_t group, llvm::Value* tile) const {
    const int64_t size = loops_.size(group);
    TileRange range{frame.b.CreateNSWMul(tile, frame.Number(kTile)), frame.Number(kTile),
                    size % kTile == 0};
    if (!range.full) {
      range.size = frame.b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, frame.b.CreateNSWSub(frame.Number(size), range.from), range.size);
    }
    return range;
  }

  void Tile(KernelFrame& frame, const Index& variables, const Values& local,
            const TileRange& across, const TileRange& inner, StreamOut* stream) const {
    for (size_t k = 0; k < turned_.size(); ++k) {
      Turn(frame, turned_[k], Base(frame, variables, turned_[k], across, inner), local[k], across,
           inner);
    }
    EmitLoop(frame.b, frame.Number(0), across.size, 1, {}, frame.memory, {},
             [&](llvm::Value* g, const Values&) {
               loops_.Set(frame, variables, across_, frame.b.CreateNSWAdd(across.from, g));
               EmitLoop(frame.b, frame.Number(0), inner.size, 1, {width_, 0, true}, frame.memory,
                        {}, [&](llvm::Value* i, const Values&) {
                          loops_.Set(frame, variables, inner_, frame.b.CreateNSWAdd(inner.from, i));
                          if (stream != nullptr) stream->At(i);
                          llvm::Value* at =
                              frame.b.CreateNSWAdd(frame.b.CreateNSWMul(g, frame.Number(kTile)), i);
                          frame.emitter.SetLoader([&](uint32_t leaf, const IndexExpr& offset) {
                            return FromTile(frame, variables, local, at, leaf, offset);
                          });
                          frame.emitter.Enter();
                          code_(frame, variables);
                          frame.emitter.Leave();
                          frame.emitter.SetLoader({});
                          return Values();
                        });
               if (stream != nullptr) {
                 loops_.Set(frame, variables, inner_, inner.from);
                 stream->Write(inner.size);
               }
               return Values();
             });
  }

  // The offset of the tile's first element.
  llvm::Value* Base(KernelFrame& frame, const Index& variables, const LoadSite& site,
                    const TileRange& across, const TileRange& inner) const {
    loops_.Set(frame, variables, across_, across.from);
    loops_.Set(frame, variables, inner_, inner.from);
    IndexExpr offset = frame.space.Linear(variables, site.factors);
    offset.constant = site.constant;
    return frame.space.Emit(frame.b, offset);
  }

  llvm::Value* FromTile(KernelFrame& frame, const Index& variables, const Values& local,
                        llvm::Value* at, uint32_t leaf, const IndexExpr& offset) const {
    for (size_t k = 0; k < turned_.size(); ++k) {
      IndexExpr expected = frame.space.Linear(variables, turned_[k].factors);
      expected.constant = turned_[k].constant;
      if (turned_[k].leaf != leaf || offset != expected) continue;
      llvm::Type* stored = Stored(frame, turned_[k]);
      llvm::LoadInst* load =
          frame.b.CreateLoad(stored, frame.b.CreateInBoundsGEP(stored, local[k], at));
      frame.memory.Mark(load);
      return load;
    }
    return nullptr;
  }

  // local[g * kTile + i] = array[base + g + i * stride]
  void Turn(KernelFrame& frame, const LoadSite& site, llvm::Value* base, llvm::Value* local,
            const TileRange& across, const TileRange& inner) const {
    const int64_t stride = Factor(site, inner_);
    llvm::Type* stored = Stored(frame, site);
    llvm::Value* array = frame.b.CreateInBoundsGEP(stored, frame.emitter.base(site.leaf), base);
    const int64_t block = BlockOf(StoredBytes(body_->buffers[site.leaf].type));
    llvm::Value* mask = frame.Number(-block);
    llvm::Value* whole_across = frame.b.CreateAnd(across.size, mask);
    llvm::Value* whole_inner = frame.b.CreateAnd(inner.size, mask);
    const auto blocks = [&] {
      EmitLoop(frame.b, frame.Number(0), whole_inner, block, {}, frame.memory, {},
               [&](llvm::Value* i, const Values&) {
                 EmitLoop(frame.b, frame.Number(0), whole_across, block, {}, frame.memory, {},
                          [&](llvm::Value* g, const Values&) {
                            TurnBlock(frame, stored, array, local, g, i, stride, block);
                            return Values();
                          });
                 return Values();
               });
    };
    if (across.full && inner.full) return blocks();
    EmitIf(frame.b,
           frame.b.CreateAnd(frame.b.CreateICmpSGT(whole_across, frame.Number(0)),
                             frame.b.CreateICmpSGT(whole_inner, frame.Number(0))),
           blocks);
    TurnRest(frame, stored, array, local, stride, {frame.Number(0), across.size}, whole_inner,
             inner.size);
    TurnRest(frame, stored, array, local, stride, {whole_across, across.size}, frame.Number(0),
             whole_inner);
  }

  void TurnRest(KernelFrame& frame, llvm::Type* stored, llvm::Value* array, llvm::Value* local,
                int64_t stride, std::pair<llvm::Value*, llvm::Value*> across, llvm::Value* from,
                llvm::Value* to) const {
    llvm::IRBuilderBase& b = frame.b;
    const auto body = [&](llvm::Value* i) {
      EmitLoop(b, across.first, across.second, 1, {}, frame.memory, {},
               [&](llvm::Value* g, const Values&) {
                 llvm::Value* source = b.CreateNSWAdd(b.CreateNSWMul(i, frame.Number(stride)), g);
                 llvm::Value* target = b.CreateNSWAdd(b.CreateNSWMul(g, frame.Number(kTile)), i);
                 llvm::Value* value =
                     b.CreateLoad(stored, b.CreateInBoundsGEP(stored, array, source));
                 b.CreateStore(value, b.CreateInBoundsGEP(stored, local, target));
                 return Values();
               });
    };
    EmitIf(b, b.CreateAnd(b.CreateICmpSLT(from, to), b.CreateICmpSLT(across.first, across.second)),
           [&] {
             EmitLoop(b, from, to, 1, {}, frame.memory, {}, [&](llvm::Value* i, const Values&) {
               body(i);
               return Values();
             });
           });
  }

  void TurnBlock(KernelFrame& frame, llvm::Type* stored, llvm::Value* array, llvm::Value* local,
                 llvm::Value* g, llvm::Value* i, int64_t stride, int64_t block) const {
    llvm::IRBuilderBase& b = frame.b;
    auto* vector = llvm::FixedVectorType::get(stored, static_cast<unsigned>(block));
    const llvm::Align align(stored->getPrimitiveSizeInBits() / 8);
    Values rows;
    for (int64_t r = 0; r < block; ++r) {
      llvm::Value* row = b.CreateNSWAdd(i, frame.Number(r));
      llvm::Value* at = b.CreateNSWAdd(b.CreateNSWMul(row, frame.Number(stride)), g);
      rows.push_back(b.CreateAlignedLoad(vector, b.CreateInBoundsGEP(stored, array, at), align));
    }
    TransposeRows(b, rows);
    for (int64_t r = 0; r < block; ++r) {
      llvm::Value* row = b.CreateNSWAdd(g, frame.Number(r));
      llvm::Value* at = b.CreateNSWAdd(b.CreateNSWMul(row, frame.Number(kTile)), i);
      b.CreateAlignedStore(rows[static_cast<size_t>(r)], b.CreateInBoundsGEP(stored, local, at),
                           align);
    }
  }

  BodyPtr body_;
  LoopSpace loops_;
  ElementCode code_;
  std::vector<LoadSite> turned_;
  size_t across_;  // group
  std::vector<size_t> streamed_;
  size_t inner_;  // group
  std::vector<size_t> outer_;
  int width_;
};

}  // namespace

std::optional<KernelPart> TiledPart(const BodyPtr& body, const LoopSpace& loops,
                                    const ElementCode& code, std::span<const LoadSite> loads,
                                    const std::vector<size_t>& roots) {
  if (loops.groups.size() < 2) return std::nullopt;
  const size_t inner = loops.groups.size() - 1;
  std::vector<LoadSite> turned;
  std::optional<size_t> across;
  for (const LoadSite& site : loads) {
    const ElementType type = body->buffers[site.leaf].type;
    if (InfoOf(type).klass == ElementClass::kComplex) continue;
    if (!IsAlwaysInside(site, loops, body->buffers[site.leaf])) continue;
    const int64_t stride = site.factors[loops.groups[inner].back()];
    if (stride < 8) continue;
    for (size_t g = 0; g < inner; ++g) {
      if (site.factors[loops.groups[g].back()] != 1 || loops.size(g) < 16) continue;
      if (across && *across != g) continue;
      across = g;
      if (turned.size() < kMostTurned) turned.push_back(site);
      break;
    }
  }
  if (!across || loops.size(inner) < 16) return std::nullopt;
  const bool streamed = IsStreamed(*body, roots, loops.groups[inner].back());
  return Tiler(body, loops, code, std::move(turned), *across,
               streamed ? roots : std::vector<size_t>())
      .Part();
}

}  // namespace halo
