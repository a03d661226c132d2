// Reads through the JSON reader; the checksum is that of the same values written again.
#include "halo/api/steps/checkpoint_manifest.h"

#include <charconv>
#include <utility>

#include "halo/base/io/crc32.h"
#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/describe/read_json.h"
#include "halo/describe/write_json.h"

namespace halo {
namespace {

constexpr const char* kManifestSchema = "halo.checkpoint.v1";
constexpr size_t kMaxMadeWith = 64;

std::string Hex(uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  return {digits, end};
}

std::optional<uint64_t> FromHex(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The manifest as it is stored: digests are texts, since JSON has no integers of 64 bits.
struct StoredFile {
  int64_t bytes = -1;
  std::string crc32, inputs;
};

template <class V>
void Fields(V& v, StoredFile& r) {
  v("bytes", r.bytes, "of the archive");
  v("crc32", r.crc32, "of these");
  v("inputs", r.inputs, "digest of the inputs that no result replaces");
}

struct StoredManifest {
  std::string schema = kManifestSchema;
  int64_t step = -1;
  std::string program, fingerprint;
  int64_t replicas = 0, partitions = 0;
  std::vector<std::pair<std::string, std::string>> made_with;
  std::vector<StoredFile> files;
  std::string checksum;
};

template <class V>
void Fields(V& v, StoredManifest& r) {
  v("schema", r.schema, "of the manifest");
  v("step", r.step, "steps done");
  v("program", r.program, "the module's name");
  v("fingerprint", r.fingerprint, "of the program");
  v("replicas", r.replicas, "how many");
  v("partitions", r.partitions, "how many");
  v("made_with", r.made_with, "what decides the bits besides the program");
  v("files", r.files, "by device");
  v("checksum", r.checksum, "of the manifest with a checksum of 0");
}

std::string WriteWithChecksum(const CheckpointManifest& manifest, uint32_t checksum) {
  StoredManifest stored;
  stored.step = manifest.step;
  stored.program = manifest.program;
  stored.fingerprint = Hex(manifest.fingerprint);
  stored.replicas = manifest.replicas;
  stored.partitions = manifest.partitions;
  stored.made_with = manifest.made_with;
  for (const CheckpointFile& each : manifest.files) {
    stored.files.push_back(
        {.bytes = each.bytes, .crc32 = Hex(each.crc), .inputs = Hex(each.inputs)});
  }
  stored.checksum = Hex(checksum);
  JsonWriter json;
  describe::WriteObject(stored, json);
  return std::string(json.view());
}

uint32_t ChecksumOf(const CheckpointManifest& manifest) {
  const std::string text = WriteWithChecksum(manifest, 0);
  return Crc32({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::string DevicesText(const CheckpointManifest& manifest) {
  return std::to_string(manifest.replicas * manifest.partitions) + " devices (" +
         std::to_string(manifest.replicas) + " replicas, " + std::to_string(manifest.partitions) +
         " partitions)";
}

}  // namespace

std::string WriteManifest(const CheckpointManifest& manifest) {
  return WriteWithChecksum(manifest, ChecksumOf(manifest));
}

std::optional<CheckpointManifest> ReadManifest(std::string_view text) {
  if (text.size() > kMaxManifest) return std::nullopt;
  const std::optional<JsonValue> json = ParseJson(text);
  StoredManifest stored;
  if (!json || !describe::ReadDocument(*json, stored) || stored.schema != kManifestSchema) {
    return std::nullopt;
  }
  const std::optional<uint64_t> fingerprint = FromHex(stored.fingerprint);
  const std::optional<uint64_t> checksum = FromHex(stored.checksum);
  const auto is_count = [](int64_t number) {
    return number >= 1 && number <= kMaxCheckpointDevices;
  };
  if (!fingerprint || !checksum || stored.step < 1 || !is_count(stored.replicas) ||
      !is_count(stored.partitions) || stored.made_with.size() > kMaxMadeWith ||
      static_cast<int64_t>(stored.files.size()) != stored.replicas * stored.partitions ||
      stored.files.size() > static_cast<size_t>(kMaxCheckpointDevices)) {
    return std::nullopt;
  }
  CheckpointManifest manifest;
  manifest.step = stored.step;
  manifest.program = std::move(stored.program);
  manifest.fingerprint = *fingerprint;
  manifest.replicas = stored.replicas;
  manifest.partitions = stored.partitions;
  manifest.made_with = std::move(stored.made_with);
  for (const StoredFile& each : stored.files) {
    const std::optional<uint64_t> crc = FromHex(each.crc32);
    const std::optional<uint64_t> inputs = FromHex(each.inputs);
    if (!crc || *crc > UINT32_MAX || !inputs || each.bytes < 0) return std::nullopt;
    manifest.files.push_back({each.bytes, static_cast<uint32_t>(*crc), *inputs});
  }
  if (ChecksumOf(manifest) != *checksum) return std::nullopt;
  return manifest;
}

std::string WhyNotContinue(const CheckpointManifest& then, const CheckpointManifest& now) {
  if (then.made_with != now.made_with) {
    for (size_t i = 0; i < now.made_with.size(); ++i) {
      const auto& [name, value] = now.made_with[i];
      if (i < then.made_with.size() && then.made_with[i] == now.made_with[i]) continue;
      const std::string was = i < then.made_with.size() && then.made_with[i].first == name
                                  ? "'" + then.made_with[i].second + "'"
                                  : "unknown";
      return "it was made with another " + name + ": " + was + ", this run has '" + value + "'";
    }
    return "it was made with other options";
  }
  if (then.fingerprint != now.fingerprint) {
    return "it is of another program (" + then.program + "), this run has " + now.program;
  }
  if (then.replicas != now.replicas || then.partitions != now.partitions) {
    return "it is of " + DevicesText(then) + ", this run has " + DevicesText(now);
  }
  return {};
}

}  // namespace halo
