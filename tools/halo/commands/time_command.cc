// `halo time`: shows how long a program takes on a device, what limits it and what is exposed.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/time/machine/calibrate.h"
#include "halo/api/time/machine/machine_document.h"
#include "halo/api/time/time_document.h"
#include "halo/api/time/time_request.h"
#include "halo/api/time/time_trace.h"
#include "halo/base/io/source_buffer.h"
#include "halo/plugins/load_engine.h"
#include "tools/halo/render/measured_text.h"
#include "tools/halo/render/time_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/session/usage_error.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

// How the result is printed and which files are read and written; what is asked is the request.
struct TimeFlags {
  v0::TimeRequest asked;
  std::string device_file;
  std::string calibrate;         // file to write
  std::string calibration;       // file to read
  std::string save_calibration;  // file to write
  size_t top = 10;
  std::string trace;
  size_t trace_events = 1'000'000;
};

bool IsDeviceFile(const std::string& name) { return name.ends_with(".json"); }

// Nothing, with the reason printed, if the file cannot be read.
std::optional<std::string> ContentsOf(const std::string& path, Session& session) {
  Result<SourceBuffer> source = SourceBuffer::Open(path);
  if (source) return std::string(source->bytes());
  Refuse(source.error(), path, session);
  return std::nullopt;
}

// The request with the contents of the files that options name. Nothing, with the reason printed,
// if one cannot be read or used.
std::optional<TimeRequest> RequestOf(const TimeFlags& options, Session& session) {
  v0::TimeRequest asked = options.asked;
  std::string device_file = options.device_file;
  if (IsDeviceFile(asked.device)) device_file = std::exchange(asked.device, {});
  struct NamedFile {
    const std::string& path;
    std::string& text;
  };
  for (const NamedFile& file : {NamedFile{device_file, asked.device_json},
                                NamedFile{options.calibration, asked.calibration}}) {
    if (file.path.empty()) continue;
    std::optional<std::string> text = ContentsOf(file.path, session);
    if (!text) return std::nullopt;
    file.text = *std::move(text);
    if (const Result<TimeRequest> tried = halo::RequestOf(asked); !tried.ok()) {
      Refuse(tried.error(), file.path, session);
      return std::nullopt;
    }
  }
  Result<TimeRequest> request = halo::RequestOf(asked);
  if (!request.ok()) {
    Refuse(request.error(), "", session);
    return std::nullopt;
  }
  request->files = session.files;
  request->open = session.open_options();
  return *std::move(request);
}

void SaveCalibration(const TimeFlags& options, const TimeRequest& request, const TimeResult& result,
                     Session& session) {
  const Calibration calibration = CalibrationFrom(request, result);
  if (!WriteFile(options.save_calibration, CalibrationJson(calibration) + "\n", session)) {
    session.Worsen(kExitUnusable);
  }
}

// Measures this machine and writes it as a device file.
void Calibrate(const TimeFlags& options, Session& session) {
  const LoadedEngine loaded = LoadEngine();
  CalibrateRequest request;
  request.engine = loaded.engine.get();
  request.threads = session.threads.value_or(0);
  request.cache_dir = DefaultCacheDir();
  request.progress = [&](size_t done, size_t all) {
    session.console.Status(fmt::format("measuring {} of {}", done + 1, all));
  };
  const Result<TimeDevice> device = CalibrateMachine(request);
  session.console.Status("");
  if (!device) return Refuse(device.error(), "", session);
  if (!WriteFile(options.calibrate, DeviceFileJson(*device) + "\n", session)) {
    return session.Worsen(kExitUnusable);
  }
  if (session.json) return PrintJson(MachineJson(*device, options.calibrate), session);
  session.console.Print(
      MachineText(*device) +
      Phrase("halo time FILE --device {} predicts for this machine\n", options.calibrate));
}

// Why there is no result.
void ComplainAboutTime(const TimeResult& result, Session& session) {
  std::string path;
  for (const Document& document : result.inputs.documents) {
    if (path.empty()) path = document.path;
    for (const Diagnostic* each : document.AllDiagnostics()) Refuse(*each, document.path, session);
  }
  for (const Diagnostics* list : {&result.inputs.diagnostics, &result.diagnostics}) {
    for (const Diagnostic& each : list->all()) Refuse(each, path, session);
  }
  for (const ProfileSummary& profile : result.profiles) {
    for (const Diagnostic& each : profile.diagnostics.all()) Refuse(each, profile.path, session);
  }
}

void PrintTime(const TimeFlags& options, const TimeResult& result, Session& session) {
  if (session.json) return PrintJson(TimeJson(result, options.top), session);
  const TimeTextOptions how = {
      .top = options.top, .width = session.console.Width(), .color = session.console.out_color()};
  session.console.Print(result.measured ? MeasuredText(result, how) : TimeText(result, how));
}

void RunTime(const TimeFlags& options, Session& session) {
  if (!options.calibrate.empty()) return Calibrate(options, session);
  if (session.files.empty()) throw CLI::RequiredError("FILE");
  const std::optional<TimeRequest> request = RequestOf(options, session);
  if (!request) return session.Worsen(kExitUnusable);
  const TimeResult result = AnalyzeTime(*request);
  if (!result.succeeded) {
    ComplainAboutTime(result, session);
    return session.Worsen(kExitUnusable);
  }
  if (!options.trace.empty()) {
    const TraceFormat format =
        options.trace.ends_with(".xplane.pb") ? TraceFormat::kXPlane : TraceFormat::kPerfetto;
    WriteFile(options.trace, TimeTrace(result, format, options.trace_events), session);
  }
  if (!session.json) {
    for (const ProfileSummary& profile : result.profiles) {
      for (const Diagnostic& each : profile.diagnostics.all()) {
        session.console.Err(RenderDiagnostic(each, profile.path, session.console.err_color()));
      }
    }
  }
  if (!options.save_calibration.empty()) SaveCalibration(options, *request, result, session);
  PrintTime(options, result, session);
}

// Options that name files, where the request has their contents, and those of which only the
// command's form differs from the request's.
void AddDeviceOptions(CLI::App& command, TimeFlags& options) {
  command.option_defaults()->group("Assumptions");
  std::string names;
  std::vector<std::string> known;
  for (const std::string_view name : TimeDeviceNames()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    known.emplace_back(name);
  }
  CLI::Option* device =
      command
          .add_option(
              "--device", options.asked.device,
              "Predict for this device (default: the one the dump was compiled for), or for the "
              "one that a .json file describes: " +
                  names)
          ->type_name("DEVICE")
          ->check([known](const std::string& name) {
            return IsDeviceFile(name) ? std::string() : NoSuchDevice(name, known);
          });
  command
      .add_option("--device-file", options.device_file,
                  "Predict for the device that this JSON file describes")
      ->excludes(device);
}

void AddCalibrationOptions(CLI::App& command, TimeFlags& options) {
  command.option_defaults()->group("Measured times");
  command
      .add_option("--save-calibration", options.save_calibration,
                  "Write how much longer each kind of op takes than predicted to this file")
      ->needs("--profile");
  command.add_option("--calibration", options.calibration,
                     "Correct predictions by a file that --save-calibration wrote");
  command
      .add_option("--calibrate", options.calibrate,
                  "Measure this machine with the compiled engine and write it to this file, "
                  "for --device; takes no FILE")
      ->type_name("OUTPUT.json");
}

void AddTimeOptions(CLI::App& command, TimeFlags& options) {
  command.add_flag_callback(
      "--no-advice", [&options] { options.asked.advice = false; },
      "Do not look for what would help");
  AddDeviceOptions(command, options);
  command.option_defaults()->group("Measured times");
  CLI::Option* profile =
      command
          .add_option("--profile", options.asked.profiles,
                      "Compare with what this profile measured: .xplane.pb, .trace.json.gz, or "
                      "nvtx_gpu_proj_trace of Nsight Systems (CSV, Parquet) or its .sqlite "
                      "export; may be given several times")
          ->type_name("PROFILE")
          ->expected(1)
          ->take_all();
  AddRequestOptions(command, options.asked,
                    {"advice", "device", "device_json", "autotune_results", "target_config",
                     "profiles", "calibration"});
  command.get_option("--profile-step")->needs(profile);
  AddCalibrationOptions(command, options);
}

}  // namespace

void AddTimeCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<TimeFlags>();
  CLI::App* command = app.add_subcommand(
      "time", "Predict how long a program takes on a device, what limits it and what is exposed");
  AddCommonOptions(*command, session);
  command->get_option("FILE")->required(false);
  command->option_defaults()->group(kOutputOptions);
  command->add_option("--top", options->top, "Number of rows in each list")
      ->check(CLI::Range(size_t{1}, size_t{10000000}))
      ->capture_default_str();
  CLI::Option* trace = command->add_option(
      "--trace", options->trace,
      "Write the predicted timeline to this file, for Perfetto (ui.perfetto.dev), or for xprof if "
      "its name ends in .xplane.pb");
  command
      ->add_option("--trace-events", options->trace_events,
                   "Write about this many events; what is left of a loop is then one event")
      ->check(CLI::Range(size_t{1}, size_t{100000000}))
      ->needs(trace)
      ->capture_default_str();
  AddTimeOptions(*command, *options);
  command->footer(
      "FILE is a compiled module: one that XLA scheduled. If the dump has autotune_results.pbtxt "
      "or\n"
      "gpu_target_config.pbtxt for it, they are used too, and may be given as files.\n"
      "Each figure states its source and confidence; docs/time.md says how they are computed.\n\n"
      "Examples:\n"
      "  halo time module_0000.jit_step.gpu_after_optimizations.txt\n"
      "  halo time xla_dump/ --device h200 --top 20\n"
      "  halo time step.txt --trace step.pftrace\n"
      "  halo time step.txt --trace step.xplane.pb\n"
      "  halo time step.txt --data-parallel 64 --network 50\n"
      "  halo time step.txt --device-file my_device.json --json\n"
      "  halo time xla_dump/ --profile host.xplane.pb\n"
      "  halo time --calibrate cpu.json");
  command->callback([options, &session] { RunTime(*options, session); });
}

}  // namespace halo::tool
