// Encodes and decodes alias and donor entries.
#include "halo/ir/attributes/aliasing.h"

namespace halo {
namespace {

void AppendIndex(std::span<const int64_t> index, std::vector<int64_t>& out) {
  out.push_back(static_cast<int64_t>(index.size()));
  out.insert(out.end(), index.begin(), index.end());
}

std::vector<int64_t> TakeIndex(std::span<const int64_t>& rest) {
  const auto length = static_cast<size_t>(rest[0]);
  const std::vector<int64_t> index(rest.begin() + 1,
                                   rest.begin() + 1 + static_cast<ptrdiff_t>(length));
  rest = rest.subspan(1 + length);
  return index;
}

int64_t TakeOne(std::span<const int64_t>& rest) {
  const int64_t value = rest[0];
  rest = rest.subspan(1);
  return value;
}

}  // namespace

std::vector<int64_t> EncodeAliases(std::span<const AliasEntry> entries) {
  std::vector<int64_t> out;
  for (const AliasEntry& entry : entries) {
    AppendIndex(entry.output_index, out);
    out.push_back(entry.number);
    AppendIndex(entry.input_index, out);
    out.push_back(static_cast<int64_t>(entry.kind));
  }
  return out;
}

std::vector<AliasEntry> DecodeAliases(std::span<const int64_t> encoded) {
  std::vector<AliasEntry> entries;
  while (!encoded.empty()) {
    AliasEntry entry;
    entry.output_index = TakeIndex(encoded);
    entry.number = TakeOne(encoded);
    entry.input_index = TakeIndex(encoded);
    entry.kind = static_cast<AliasKind>(TakeOne(encoded));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<int64_t> EncodeDonors(std::span<const DonorEntry> entries) {
  std::vector<int64_t> out;
  for (const DonorEntry& entry : entries) {
    out.push_back(entry.number);
    AppendIndex(entry.index, out);
  }
  return out;
}

std::vector<DonorEntry> DecodeDonors(std::span<const int64_t> encoded) {
  std::vector<DonorEntry> entries;
  while (!encoded.empty()) {
    DonorEntry entry;
    entry.number = TakeOne(encoded);
    entry.index = TakeIndex(encoded);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace halo
