// Reads one text, either sequentially or split into chunks that several threads read and merge.h
// merges. A text with any mistake is read sequentially, so that diagnostics never depend on the
// number of threads.
#include "halo/text/read/read_text.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>
#ifdef HALO_WITH_THREADS
#include <thread>
#endif

#include "halo/text/read/merge.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr size_t kSample = size_t{64} << 10;
constexpr size_t kMinChunk = 64;  // so that small inputs are split too
#else
constexpr size_t kSample = size_t{64} << 10;
constexpr size_t kMinChunk = size_t{32} << 10;
#endif
constexpr size_t kMaxLineSearch = size_t{4} << 20;
// Later chunks are smaller, so that the threads finish together: shares of the text by round.
constexpr size_t kRounds[] = {8, 4, 2, 1};

uint8_t CountFinalNewlines(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && count < 8 && text[text.size() - 1 - count] == '\n') ++count;
  return static_cast<uint8_t>(count);
}

// Typical dumps have one instruction per 200 bytes and one new name per 160. A wrong guess only
// costs reallocation.
void ReserveFor(size_t text_bytes, Module& module) {
  module.insts.reserve(text_bytes / 200);
  module.operands.reserve(text_bytes / 160);
  module.strings.Reserve(text_bytes / 160, text_bytes / 16, text_bytes / 1000);
}

void ReadInOnePiece(std::string_view text, TextReadResult& result) {
  ReserveFor(text.size(), result.module);
  Reader reader(text, result.module, result.diagnostics);
  reader.ReadHeader();
  const Reader::State state = reader.ReadBody(text.data() + text.size(), Reader::State::kOutside);
  reader.CloseAtEnd(state);
  reader.Finish();
}

#ifdef HALO_WITH_THREADS

// %x#0 refers to an element of an instruction whose shape must be known, so such texts are split
// only between computations.
bool HasCompactElements(std::string_view text) {
  // A sample is enough: a wrong guess only leads to a sequential read.
  text = text.substr(text.size() - std::min(text.size(), kSample));
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    if (at > 0 && IsClass(text[at - 1], kNameChar) && at + 1 < text.size() &&
        IsClass(text[at + 1], kDigit)) {
      return true;
    }
  }
  return false;
}

struct SplitPoint {
  const char* at;
  Reader::State state;
};

// The first line at or after `from` where a chunk may begin: an instruction, or a computation.
bool FindSplit(const char* from, const char* end, bool only_outside, SplitPoint& split) {
  const char* limit = std::min(end, from + kMaxLineSearch);
  for (const char* p = from; p < limit;) {
    const void* newline = std::memchr(p, '\n', static_cast<size_t>(limit - p));
    if (newline == nullptr) return false;
    p = static_cast<const char*>(newline) + 1;
    if (p >= limit) return false;
    const bool indented = p[0] == ' ' && p[1] == ' ' && p[2] != ' ';
    const char* start = indented ? p + 2 : p;
    if (*start == '%') ++start;
    if (!IsClass(*start, kNameStart)) continue;
    const char* stop = start;
    while (IsClass(*stop, kNameChar)) ++stop;
    const std::string_view word(start, static_cast<size_t>(stop - start));
    if (indented) {
      if (only_outside) continue;
      const bool is_inst =
          word == "ROOT" ? *stop == ' ' : stop[0] == ' ' && stop[1] == '=' && stop[2] == ' ';
      if (is_inst) {
        split = {p, Reader::State::kInside};
        return true;
      }
    } else if (word == "ENTRY" || (stop[0] == ' ' && (stop[1] == '(' || stop[1] == '{'))) {
      split = {p, Reader::State::kOutside};
      return true;
    }
  }
  return false;
}

// Threads take chunks in order. A thread that finishes one merges all that are ready, so that
// merging overlaps with reading.
class ChunkReader {
 public:
  explicit ChunkReader(std::vector<std::unique_ptr<TextChunk>>& chunks)
      : chunks_(chunks), ready_(chunks.size()) {}

  // False if the chunks cannot be merged.
  bool Read(size_t threads, TextReadResult& result) {
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < threads; ++i) helpers.emplace_back([this] { Work(); });
    Work();
    for (std::thread& helper : helpers) helper.join();
    MergeReady();
    if (failed_) return false;
    TextChunk& whole = *chunks_[0];
    whole.reader->CloseAtEnd(whole.ends);
    whole.reader->Finish();
    if (!whole.diagnostics.empty()) return false;
    result.module = std::move(*whole.module);
    return true;
  }

 private:
  void Work() {
    for (size_t mine = next_++; mine < chunks_.size() && !failed_; mine = next_++) {
      TextChunk& chunk = *chunks_[mine];
      chunk.module = TakeModule(static_cast<size_t>(chunk.end - chunk.begin));
      chunk.Read(mine == 0);
      ready_[mine] = true;
      if (const std::unique_lock lock(merging_, std::try_to_lock); lock.owns_lock()) MergeReady();
    }
  }

  void MergeReady() {
    for (; !failed_ && merged_ < chunks_.size() && ready_[merged_]; ++merged_) {
      if (merged_ == 0) {
        // Its tables become the module's; the remaining chunks should fill them in proportion.
        ReserveLike(*chunks_[0]);
        merger_.emplace(*chunks_[0]);
        continue;
      }
      TextChunk& chunk = *chunks_[merged_];
      if (!merger_->Merge(chunk)) failed_ = true;
      chunk.reader.reset();
      const std::lock_guard lock(spare_lock_);
      spare_.push_back(std::move(chunk.module));
    }
  }

  // Reused memory costs less than fresh memory.
  std::unique_ptr<Module> TakeModule(size_t text_bytes) {
    std::unique_ptr<Module> module;
    {
      const std::lock_guard lock(spare_lock_);
      if (!spare_.empty()) {
        module = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    if (module == nullptr) {
      module = std::make_unique<Module>();
      ReserveFor(text_bytes, *module);
    } else {
      module->Clear();
    }
    return module;
  }

  static void ReserveLike(const TextChunk& head) {
    const auto read = static_cast<double>(head.end - head.begin);
    const double factor = static_cast<double>(head.text.size()) / read * 1.05;
    const auto scaled = [factor](size_t count) {
      return static_cast<size_t>(static_cast<double>(count) * factor);
    };
    Module& module = *head.module;
    module.insts.reserve(scaled(module.insts.size()));
    module.operands.reserve(scaled(module.operands.size()));
    module.strings.Reserve(scaled(module.strings.size()), scaled(module.strings.item_count()), 0);
    const size_t lists = scaled(module.attr_lists.size());
    module.attr_lists.Reserve(lists, scaled(module.attr_lists.item_count()), lists);
  }

  std::vector<std::unique_ptr<TextChunk>>& chunks_;
  std::vector<std::atomic<bool>> ready_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex merging_;
  size_t merged_ = 0;
  std::optional<ChunkMerger> merger_;
  std::mutex spare_lock_;
  std::vector<std::unique_ptr<Module>> spare_;
};

// False if the text could not be read in chunks.
bool ReadInChunks(std::string_view text, size_t threads, TextReadResult& result) {
  const bool only_outside = HasCompactElements(text);
  const char* end = text.data() + text.size();
  size_t shares = 0;
  for (const size_t share : kRounds) shares += share * threads;
  if (text.size() / shares < kMinChunk) return false;
  std::vector<std::unique_ptr<TextChunk>> chunks;
  SplitPoint split = {text.data(), Reader::State::kOutside};
  size_t taken = 0;
  bool more = true;
  for (size_t i = 0; more; ++i) {
    auto chunk = std::make_unique<TextChunk>();
    chunk->text = text;
    chunk->begin = split.at;
    chunk->starts = split.state;
    taken += kRounds[std::min(i / threads, std::size(kRounds) - 1)];
    const char* target = text.data() + text.size() / shares * taken;
    more = taken < shares && FindSplit(std::max(target, split.at + 1), end, only_outside, split);
    chunk->end = more ? split.at : end;
    chunks.push_back(std::move(chunk));
  }
  if (chunks.size() < 2) return false;
  return ChunkReader(chunks).Read(threads, result);
}

#endif

}  // namespace

TextReadResult ReadHloText(const SourceBuffer& source, const TextReadOptions& options) {
  TextReadResult result;
  const std::string_view text = source.bytes();
  bool done = false;
#ifdef HALO_WITH_THREADS
  if (options.threads > 1) done = ReadInChunks(text, static_cast<size_t>(options.threads), result);
#else
  (void)options;
#endif
  if (!done) ReadInOnePiece(text, result);
  result.module.style.final_newlines = CountFinalNewlines(text);
  result.module.Shrink();
  return result;
}

TextReadResult ReadHloText(std::string_view text, const TextReadOptions& options) {
  return ReadHloText(SourceBuffer::Copy(text, "<text>"), options);
}

ComputationReadResult ReadHloComputation(std::string_view text, int64_t stack_frames) {
  ComputationReadResult result;
  const SourceBuffer source = SourceBuffer::Copy(text, "<text>");
  ReserveFor(text.size(), result.module);
  Reader reader(source.bytes(), result.module, result.diagnostics);
  result.module.style.header = false;
  reader.stack_frame_limit = stack_frames;
  const char* end = source.bytes().data() + source.bytes().size();
  const Reader::State state = reader.ReadBody(end, Reader::State::kOutside);
  const bool ends_outside = state == Reader::State::kOutside;
  reader.CloseAtEnd(state);
  reader.FinishPart();
  const Module& module = result.module;
  // Reading these depends on what follows the text.
  bool sees_end = result.diagnostics.full();
  for (const Diagnostic& each : result.diagnostics.all()) {
    sees_end |= each.code == diag::kUnexpectedEnd || each.code == diag::kUnterminatedComment ||
                each.code == diag::kUnterminatedString || each.code == diag::kSecondModule;
  }
  result.is_separate = ends_outside && !sees_end && !reader.snippet && !reader.needs_one_thread &&
                       reader.malformed_comps.empty() && module.order.size() == 1;
  for (const Reader::CompRef& ref : reader.comp_refs) {
    const Computation& comp = module.comp(ref.comp);
    if (!comp.defined) result.mentions.push_back({std::string(module.text(comp.name)), ref.offset});
  }
  if (!module.order.empty()) result.module.entry = module.order.back();
  return result;
}

}  // namespace halo
