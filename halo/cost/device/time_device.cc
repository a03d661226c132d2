// Looks up devices by name and reads device files. Figures of a file carry it as their source.
#include "halo/cost/device/time_device.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

Diagnostic BadDevice(std::string message) {
  Diagnostic diagnostic = MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message));
  diagnostic.help = "docs/time.md describes device files";
  return diagnostic;
}

bool IsPositive(double number) { return number > 0 && std::isfinite(number); }

std::string ReadCurves(const JsonValue& value, TimeDevice& device) {
  MachineCurves curves;
  if (!value.is_object()) return "\"curves\" must be an object";
  for (size_t i = 0; i < value.keys.size(); ++i) {
    const std::string problem =
        "\"curves\": \"" + value.keys[i] + "\" must be an array of [work, seconds], both positive";
    const JsonValue& list = value.items[i];
    if (list.kind != JsonValue::Kind::kArray || list.items.empty()) return problem;
    std::vector<CurvePoint> points;
    for (const JsonValue& each : list.items) {
      if (each.kind != JsonValue::Kind::kArray || each.items.size() != 2) return problem;
      const CurvePoint point = {each.items[0].AsDouble(-1), each.items[1].AsDouble(-1)};
      if (!IsPositive(point.work) || !IsPositive(point.seconds)) return problem;
      points.push_back(point);
    }
    curves.by_name[value.keys[i]] = WorkCurve(std::move(points));
  }
  device.curves = std::make_shared<const MachineCurves>(std::move(curves));
  return {};
}

// What is wrong with one field; empty if nothing is.
std::string ReadField(std::string_view key, const JsonValue& value, TimeDevice& device) {
  if (key == "name") {
    device.name = value.AsString();
    return device.name.empty() ? "\"name\" must be a text" : "";
  }
  if (key == "title") {
    device.title = value.AsString();
    return {};
  }
  if (key == "backend") {
    device.backend = BackendFromName(std::string(value.AsString()));
    return device.backend ? "" : "\"backend\" must be \"cpu\", \"gpu\" or \"tpu\"";
  }
  if (key == "like") return {};
  if (key == "curves") return ReadCurves(value, device);
  Figure* figure = nullptr;
  ForEachFigure(device.rates, [&](std::string_view name, Figure& each) {
    if (name == key) figure = &each;
  });
  if (figure != nullptr) {
    const double number = value.AsDouble(-1);
    if (!IsPositive(number)) {
      return "\"" + std::string(key) + "\" must be a positive number";
    }
    *figure = {number, FigureSource::kUserFile};
    return {};
  }
  return "no device has a field \"" + std::string(key) + "\"";
}

}  // namespace

std::vector<std::string_view> TimeDeviceNames() {
  std::vector<std::string_view> names;
  for (const MemoryDevice& device : MemoryDevices()) {
    if (FindDeviceRates(device.name) != nullptr) names.push_back(device.name);
  }
  names.emplace_back("cpu");
  return names;
}

std::optional<TimeDevice> FindTimeDevice(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const DeviceRates* rates = FindDeviceRates(lower);
  if (rates == nullptr) return std::nullopt;
  TimeDevice device;
  device.name = device.title = lower;
  device.rates = *rates;
  if (const MemoryDevice* known = FindMemoryDevice(lower)) {
    device.title = known->title;
    device.backend = known->backend;
  } else {
    device.title = "a server CPU with 64 cores";
    device.backend = Backend::kCpu;
  }
  return device;
}

Result<TimeDevice> ReadDeviceFile(std::string_view json) {
  const std::optional<JsonValue> file = ParseJson(json);
  if (!file || !file->is_object()) return BadDevice("a device file must be one JSON object");
  TimeDevice device;
  const JsonValue& like = (*file)["like"];
  if (!like.is_null()) {
    std::optional<TimeDevice> base = FindTimeDevice(like.AsString());
    if (!base) return BadDevice("\"like\" names no known device: " + std::string(like.AsString()));
    device = *std::move(base);
    device.name.clear();
  }
  for (size_t i = 0; i < file->keys.size(); ++i) {
    std::string problem = ReadField(file->keys[i], file->items[i], device);
    if (!problem.empty()) return BadDevice(std::move(problem));
  }
  if (device.name.empty()) return BadDevice("the device has no \"name\"");
  if (device.title.empty()) device.title = device.name;
  if (!device.rates.known()) {
    return BadDevice("a device needs \"bandwidth\" and \"bf16\" or \"f32\", or \"like\"");
  }
  return device;
}

std::string DeviceFileJson(const TimeDevice& device) {
  JsonWriter json;
  json.BeginObject().Field("name", device.name).Field("title", device.title);
  if (device.backend) json.Field("backend", BackendName(*device.backend));
  ForEachFigure(device.rates, [&](std::string_view name, const Figure& figure) {
    if (figure.value > 0) json.Field(name, figure.value);
  });
  if (device.curves != nullptr) {
    json.Key("curves").BeginObject();
    for (const auto& [name, curve] : device.curves->by_name) {
      json.Key(name).BeginArray();
      for (const CurvePoint& each : curve.points()) {
        json.BeginArray().Double(each.work).Double(each.seconds).EndArray();
      }
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo
