// Searches for a word by its rarest byte, because names share most of their bytes.
#include "halo/view/model/search_index.h"

#include <algorithm>
#include <cstring>

#include "halo/base/json/json_reader.h"

namespace halo::view {
namespace {

// Longer shapes are tuples of loops; a search for their ends is unlikely.
constexpr size_t kLongestShape = 2000;

constexpr std::array<std::string_view, kSearchFields> kFieldTexts = {"name", "opcode", "shape",
                                                                     "op_name", "source"};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Lower(c);
  return out;
}

// The score of a hit in a field, by how well the word matches.
constexpr uint16_t kWorth[kSearchFields][4] = {
    {0, 60, 80, 100}, {0, 40, 45, 70}, {0, 25, 30, 50}, {0, 32, 34, 36}, {0, 20, 22, 24}};

}  // namespace

std::string_view SearchFieldText(SearchField field) {
  return kFieldTexts[static_cast<size_t>(field)];
}

void LowerTexts::Add(std::string_view text) {
  for (const char c : text) chars_ += Lower(c);
  ends_.push_back(static_cast<uint32_t>(chars_.size()));
}

void LowerTexts::Count() {
  for (const char c : chars_) ++frequency_[static_cast<unsigned char>(c)];
}

void LowerTexts::Scan(std::string_view word, std::vector<uint8_t>& hits) const {
  hits.assign(ends_.size(), 0);
  if (word.empty() || word.size() > chars_.size()) return;
  const auto rarest = std::min_element(word.begin(), word.end(), [&](char a, char b) {
    return frequency_[static_cast<unsigned char>(a)] < frequency_[static_cast<unsigned char>(b)];
  });
  const auto lead = static_cast<size_t>(rarest - word.begin());
  const char* base = chars_.data();
  const char* at = base + lead;
  const char* end = base + chars_.size() - (word.size() - lead - 1);
  size_t string = 0;
  while (at < end) {
    at = static_cast<const char*>(std::memchr(at, *rarest, static_cast<size_t>(end - at)));
    if (at == nullptr) return;
    const char* begin = at - lead;
    ++at;
    if (std::memcmp(begin, word.data(), word.size()) != 0) continue;
    const auto offset = static_cast<uint32_t>(begin - base);
    // Hits are either far apart or close together; in both cases few strings are in between.
    if (ends_[string] <= offset) {
      string = static_cast<size_t>(
          std::upper_bound(ends_.begin() + static_cast<ptrdiff_t>(string), ends_.end(), offset) -
          ends_.begin());
    }
    if (offset + word.size() > ends_[string]) continue;
    const uint32_t first = string == 0 ? 0 : ends_[string - 1];
    const uint8_t fit = offset != first ? 1 : offset + word.size() == ends_[string] ? 3 : 2;
    hits[string] = std::max(hits[string], fit);
  }
}

SearchIndex::SearchIndex(const Module& module) : module_(module) {
  for (uint32_t i = 0; i < module.strings.size(); ++i) strings_.Add(module.text(StrId(i)));
  strings_.Count();
  for (uint32_t i = 0; i < module.shapes.size(); ++i) {
    shapes_.Add(std::string_view(module.shapes.Text(ShapeId(i), false)).substr(0, kLongestShape));
  }
  shapes_.Count();
  op_names_.resize(module.attr_lists.size());
  sources_.resize(module.attr_lists.size());
  for (uint32_t list = 0; list < module.attr_lists.size(); ++list) {
    const Attr* metadata = module.Find(AttrListId(list), AttrKey::k_metadata);
    if (metadata == nullptr) continue;
    const Attr* name = module.Find(AttrListId(metadata->value), AttrKey::k_op_name);
    if (name != nullptr) op_names_[list] = StrId(name->value);
    sources_[list] = SourceOf(module, AttrListId(metadata->value));
  }
}

std::vector<SearchIndex::Word> SearchIndex::Split(std::string_view query) {
  std::vector<Word> words;
  const std::string lowered = Lowered(query);
  std::string_view rest = lowered;
  while (!rest.empty()) {
    const size_t begin = rest.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(rest.find_first_of(" \t\n", begin), rest.size());
    std::string_view text = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    Word word;
    for (size_t field = 0; field < kSearchFields; ++field) {
      if (text.starts_with(kFieldTexts[field]) && text.size() > kFieldTexts[field].size() + 1 &&
          text[kFieldTexts[field].size()] == ':') {
        text.remove_prefix(kFieldTexts[field].size() + 1);
        word.field = static_cast<int>(field);
        break;
      }
    }
    if (text.starts_with('%') && text.size() > 1) text.remove_prefix(1);  // as in HLO text
    word.text = text;
    const size_t colon = text.rfind(':');
    if (colon != std::string_view::npos && colon != 0) {
      const auto line = ParseInt(text.substr(colon + 1));
      if (line) {
        word.file = text.substr(0, colon);
        word.line = *line;
      }
    }
    words.push_back(std::move(word));
    if (words.size() == 8) break;
  }
  return words;
}

void SearchIndex::Score(const Word& word, bool is_first, std::vector<Found>& best) const {
  std::vector<uint8_t> strings, shapes, files;
  strings_.Scan(word.text, strings);
  shapes_.Scan(word.text, shapes);
  if (word.line >= 0) strings_.Scan(word.file, files);
  std::array<uint8_t, 256> opcodes{};
  for (size_t i = 0; i < OpcodeCount(); ++i) {
    const std::string_view text = TextOf(static_cast<Opcode>(i));
    const size_t at = text.find(word.text);
    if (at == std::string_view::npos) continue;
    opcodes[i] = text.size() == word.text.size() ? 3 : at == 0 ? 2 : 1;
  }
  const auto of_string = [&](StrId id) { return id.valid() ? strings[id.index()] : uint8_t{0}; };
  // Score and field combined, so that the greater one wins; 0 for a field that does not count.
  const auto found = [&](SearchField field, uint8_t fit) {
    const auto at = static_cast<size_t>(field);
    if (word.field >= 0 && static_cast<size_t>(word.field) != at) return Found{0};
    return static_cast<Found>(kWorth[at][fit] == 0 ? 0 : (kWorth[at][fit] << 3) | at);
  };
  std::vector<Found> lists(op_names_.size(), 0);
  for (size_t i = 0; i < lists.size(); ++i) {
    const SourceLine& source = sources_[i];
    uint8_t in_source = of_string(source.file);
    if (word.line >= 0 && source.file.valid() && source.line == word.line) {
      in_source = std::max(in_source, files[source.file.index()]);
    }
    lists[i] = std::max(found(SearchField::kOpName, of_string(op_names_[i])),
                        found(SearchField::kSource, in_source));
  }
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    if (best[i] == 0) continue;
    const Inst& inst = module_.insts[i];
    uint8_t in_opcode = inst.opcode == Opcode::kUnknown
                            ? of_string(StrId(inst.extra))
                            : opcodes[static_cast<uint8_t>(inst.opcode)];
    if ((inst.flags & kInstSugar) != 0) {
      in_opcode = std::max(in_opcode, opcodes[static_cast<uint8_t>(inst.wrapped)]);
    }
    Found here = found(SearchField::kName, strings[inst.name.index()]);
    here = std::max(here, found(SearchField::kOpcode, in_opcode));
    here = std::max(here, found(SearchField::kShape, shapes[inst.shape.index()]));
    here = std::max(here, lists[inst.attrs.index()]);
    // The first word determines the field; the others only add to the score.
    if (here == 0 || is_first) {
      best[i] = here;
    } else {
      best[i] = static_cast<Found>(best[i] + (here & ~Found{7}));
    }
  }
}

std::vector<SearchMatch> SearchIndex::Find(std::string_view query) const {
  const std::vector<Word> words = Split(query);
  std::vector<SearchMatch> matches;
  if (words.empty()) return matches;
  std::vector<Found> best(module_.insts.size(), 1);
  for (const Word& word : words) Score(word, &word == words.data(), best);
  for (size_t i = 0; i < best.size(); ++i) {
    if (best[i] == 0) continue;
    matches.push_back(
        {InstId(i), static_cast<uint16_t>(best[i] >> 3), static_cast<SearchField>(best[i] & 7)});
  }
  return matches;
}

}  // namespace halo::view
