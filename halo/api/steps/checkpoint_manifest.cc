// Reads through the JSON reader; the checksum is that of the same values written again.
#include "halo/api/steps/checkpoint_manifest.h"

#include <charconv>
#include <span>

#include "halo/base/io/crc32.h"
#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"

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

std::string WriteWithChecksum(const CheckpointManifest& manifest, uint32_t checksum) {
  JsonWriter json;
  json.BeginObject()
      .Field("schema", kManifestSchema)
      .Field("step", manifest.step)
      .Field("program", manifest.program)
      .Field("fingerprint", Hex(manifest.fingerprint))
      .Field("replicas", manifest.replicas)
      .Field("partitions", manifest.partitions);
  json.Key("made_with").BeginObject();
  for (const auto& [name, value] : manifest.made_with) json.Field(name, value);
  json.EndObject();
  json.Key("files").BeginArray();
  for (const CheckpointFile& file : manifest.files) {
    json.BeginObject()
        .Field("bytes", file.bytes)
        .Field("crc32", Hex(file.crc))
        .Field("inputs", Hex(file.inputs))
        .EndObject();
  }
  json.EndArray().Field("checksum", Hex(checksum)).EndObject();
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
  if (!json || (*json)["schema"].AsString() != kManifestSchema) return std::nullopt;
  CheckpointManifest manifest;
  manifest.step = (*json)["step"].AsInt(-1);
  manifest.program = (*json)["program"].AsString();
  manifest.replicas = (*json)["replicas"].AsInt(0);
  manifest.partitions = (*json)["partitions"].AsInt(0);
  const std::optional<uint64_t> fingerprint = FromHex((*json)["fingerprint"].AsString());
  const std::optional<uint64_t> checksum = FromHex((*json)["checksum"].AsString());
  const auto is_count = [](int64_t number) {
    return number >= 1 && number <= kMaxCheckpointDevices;
  };
  if (!fingerprint || !checksum || manifest.step < 1 || !is_count(manifest.replicas) ||
      !is_count(manifest.partitions)) {
    return std::nullopt;
  }
  manifest.fingerprint = *fingerprint;
  const JsonValue& made_with = (*json)["made_with"];
  if (made_with.keys.size() > kMaxMadeWith) return std::nullopt;
  for (size_t i = 0; i < made_with.keys.size(); ++i) {
    manifest.made_with.emplace_back(made_with.keys[i], made_with.items[i].AsString());
  }
  const JsonValue& files = (*json)["files"];
  if (static_cast<int64_t>(files.items.size()) != manifest.replicas * manifest.partitions ||
      files.items.size() > static_cast<size_t>(kMaxCheckpointDevices)) {
    return std::nullopt;
  }
  for (const JsonValue& each : files.items) {
    const std::optional<uint64_t> crc = FromHex(each["crc32"].AsString());
    const std::optional<uint64_t> inputs = FromHex(each["inputs"].AsString());
    const int64_t bytes = each["bytes"].AsInt(-1);
    if (!crc || *crc > UINT32_MAX || !inputs || bytes < 0) return std::nullopt;
    manifest.files.push_back({bytes, static_cast<uint32_t>(*crc), *inputs});
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
