// The order of writing makes a checkpoint whole or absent: every process writes and syncs its
// archives, all agree, the process of the first device replaces the manifest, all agree again, and
// only then the archives of the checkpoint before are removed.
#include "halo/api/steps/repeated_steps.h"

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/inputs/array_names.h"
#include "halo/base/hash.h"
#include "halo/base/json/json_reader.h"
#include "halo/diff/fingerprint/fingerprint.h"

namespace halo {
namespace {

// Of everything that no result replaces.
uint64_t DigestOfOthers(std::span<const FedResult> fed, std::vector<Value> arguments) {
  for (const FedResult& each : fed) {
    if (each.parameter < arguments.size()) {
      ReplaceArray(arguments[each.parameter], each.path, Array());
    }
  }
  uint64_t digest = 0;
  for (const Value& argument : arguments) {
    ForEachArray(argument, [&](const Array& array) {
      digest = HashMix(digest + 1, HashBytes(array.bytes(), array.byte_count()) | 1);
    });
  }
  return digest;
}

// What one process tells about its archives: sizes and checksums, or what went wrong.
std::string Told(std::span<const CheckpointFile> files) {
  std::string text;
  for (const CheckpointFile& file : files) {
    text += std::to_string(file.bytes) + " " + std::to_string(file.crc) + " " +
            std::to_string(static_cast<int64_t>(file.inputs)) + " ";
  }
  return text;
}

bool TakeTold(std::string_view text, std::vector<CheckpointFile>& files) {
  while (!text.empty()) {
    int64_t numbers[3] = {};
    for (int64_t& number : numbers) {
      const size_t end = text.find(' ');
      const std::optional<int64_t> value = ParseInt(text.substr(0, end));
      if (!value || end == std::string_view::npos) return false;
      number = *value;
      text.remove_prefix(end + 1);
    }
    files.push_back(
        {numbers[0], static_cast<uint32_t>(numbers[1]), static_cast<uint64_t>(numbers[2])});
  }
  return true;
}

constexpr char kProblem = '!';  // first character of a text that is a problem

}  // namespace

Result<RepeatedSteps> RepeatedSteps::Make(const Module& module, const StepsRequest& request,
                                          StepsJob job) {
  Result<std::vector<FedResult>> fed = FindFedResults(module);
  if (!fed.ok()) return fed.error();
  RepeatedSteps steps(*std::move(fed), request, std::move(job));
  steps.now_.program = module.text(module.name);
  steps.now_.replicas = steps.job_.replicas;
  steps.now_.partitions = steps.job_.partitions;
  steps.now_.made_with = request.made_with;
  if (!request.folder.empty()) steps.now_.fingerprint = FingerprintModule(module);
  return steps;
}

Result<std::vector<std::string>> RepeatedSteps::Exchange(std::string own) const {
  if (job_.gather) return job_.gather(own);
  return std::vector<std::string>{std::move(own)};
}

Result<std::string> RepeatedSteps::FirstText(std::string own) const {
  Result<std::vector<std::string>> all = Exchange(job_.first == 0 ? std::move(own) : "");
  if (!all.ok()) return all.error();
  return all->empty() ? std::string() : std::move(all->front());
}

// All processes end with the same reason if one of them has a problem.
std::optional<Diagnostic> RepeatedSteps::Agree(DiagCode code, const std::string& problem) const {
  const Result<std::vector<std::string>> all = Exchange(problem);
  if (!all.ok()) return all.error();
  for (const std::string& each : *all) {
    if (!each.empty()) return MakeBinaryDiagnostic(code, 0, each);
  }
  return std::nullopt;
}

std::vector<CheckpointArray> RepeatedSteps::StateOf(int64_t device,
                                                    std::span<const Value> arguments) const {
  const bool has_several = job_.replicas * job_.partitions > 1;
  std::vector<CheckpointArray> arrays;
  for (const FedResult& each : fed_) {
    const Array* array = ArrayAt(arguments[each.parameter], each.path);
    arrays.push_back(
        {MakeArrayName("in", each.input, has_several ? std::optional(device) : std::nullopt),
         array != nullptr ? *array : Array()});
  }
  return arrays;
}

// Returns what is wrong, or an empty text.
std::string RepeatedSteps::Restore(const CheckpointManifest& manifest,
                                   std::span<std::vector<Value>> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int64_t device = job_.first + static_cast<int64_t>(i);
    const CheckpointFile& file = manifest.files[static_cast<size_t>(device)];
    if (file.inputs != now_.files[i].inputs) {
      return "the inputs of device " + std::to_string(device) +
             " that are no state differ from those of the run that made the checkpoint";
    }
    std::vector<CheckpointArray> arrays = StateOf(device, arguments[i]);
    if (auto why = folder_.ReadState(manifest.step, device, file, arrays)) return *why;
    for (size_t k = 0; k < fed_.size(); ++k) {
      ReplaceArray(arguments[i][fed_[k].parameter], fed_[k].path, std::move(arrays[k].array));
    }
  }
  return {};
}

Result<int64_t> RepeatedSteps::Begin(int64_t steps, std::span<std::vector<Value>> arguments) {
  if (request_.folder.empty()) return int64_t{0};
  for (const std::vector<Value>& each : arguments) {
    now_.files.push_back({.inputs = DigestOfOthers(fed_, each)});
  }
  const std::optional<std::string> unusable = folder_.Create();
  if (auto failed = Agree(diag::kCheckpointNotWritten, unusable.value_or(""))) return *failed;
  // The process of the first device reads the manifest for all: folders of other machines may hold
  // archives only.
  std::string own;
  if (job_.first == 0) {
    const Result<std::string> text = folder_.ReadManifestText();
    own = text.ok() ? *text : kProblem + text.error().message;
  }
  const Result<std::string> text = FirstText(std::move(own));
  if (!text.ok()) return text.error();
  const auto refuse = [&](const std::string& why) {
    return MakeBinaryDiagnostic(diag::kCheckpointRefused, 0, why);
  };
  if (text->starts_with(kProblem)) return refuse(text->substr(1));
  int64_t done = 0;
  if (!text->empty()) {
    const std::string path = folder_.ManifestPath();
    const std::optional<CheckpointManifest> manifest = ReadManifest(*text);
    if (!manifest) {
      return refuse(path + " is not the manifest of a checkpoint: it is truncated or altered");
    }
    done = manifest->step;
    if (!request_.resumes) {
      Diagnostic exists = refuse(request_.folder + " has a checkpoint after step " +
                                 std::to_string(done) + " of " + manifest->program);
      exists.help = "continue it with --resume, or choose another folder, or remove this one";
      return exists;
    }
    if (const std::string why = WhyNotContinue(*manifest, now_); !why.empty()) {
      return refuse("cannot continue from " + path + ": " + why);
    }
    if (done >= steps) {
      Diagnostic late =
          refuse("cannot continue from " + path + ": it was made after step " +
                 std::to_string(done) + ", and the run has " + std::to_string(steps) + " in all");
      late.help = "--repeat counts the steps before the checkpoint too: ask for more";
      return late;
    }
    if (auto failed = Agree(diag::kCheckpointRefused, Restore(*manifest, arguments))) {
      return *failed;
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    folder_.RemoveOthers(done, job_.first + static_cast<int64_t>(i));
  }
  report_.resumed = report_.last = done;
  return done;
}

void RepeatedSteps::Remove(int64_t step, size_t devices) const {
  if (step == 0) return;
  for (size_t i = 0; i < devices; ++i) {
    folder_.RemoveState(step, job_.first + static_cast<int64_t>(i));
  }
}

std::optional<Diagnostic> RepeatedSteps::Save(int64_t done,
                                              std::span<std::vector<Value>> arguments) {
  std::string problem;
  for (size_t i = 0; i < arguments.size() && problem.empty(); ++i) {
    const int64_t device = job_.first + static_cast<int64_t>(i);
    const Result<CheckpointFile> written =
        folder_.WriteState(done, device, StateOf(device, arguments[i]));
    if (!written.ok()) {
      problem = kProblem + written.error().message;
      continue;
    }
    now_.files[i].bytes = written->bytes;
    now_.files[i].crc = written->crc;
  }
  const auto give_up = [&](const Diagnostic& why) {
    Remove(done, arguments.size());
    return why;
  };
  const Result<std::vector<std::string>> all =
      Exchange(problem.empty() ? Told(now_.files) : problem);
  if (!all.ok()) return give_up(all.error());
  CheckpointManifest manifest = now_;
  manifest.step = done;
  manifest.files.clear();
  for (const std::string& each : *all) {
    if (each.starts_with(kProblem)) {
      return give_up(MakeBinaryDiagnostic(diag::kCheckpointNotWritten, 0, each.substr(1)));
    }
    if (!TakeTold(each, manifest.files)) {
      return give_up(MakeBinaryDiagnostic(diag::kCheckpointNotWritten, 0,
                                          "a process tells no sizes of its archives"));
    }
  }
  std::string unwritten;
  if (job_.first == 0) {
    unwritten = folder_.WriteManifestText(WriteManifest(manifest)).value_or("");
  }
  const Result<std::string> failed = FirstText(std::move(unwritten));
  // Without an answer, the manifest may have been replaced: the archives stay.
  if (!failed.ok()) return failed.error();
  if (!failed->empty()) {
    return give_up(MakeBinaryDiagnostic(diag::kCheckpointNotWritten, 0, *failed));
  }
  Remove(report_.last, arguments.size());
  report_.last = done;
  ++report_.written;
  return std::nullopt;
}

std::optional<Diagnostic> RepeatedSteps::HandOn(int64_t done, std::span<const Value> results,
                                                std::span<std::vector<Value>> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) FeedBack(fed_, results[i], arguments[i]);
  if (request_.every == 0 || done % request_.every != 0) return std::nullopt;
  return Save(done, arguments);
}

}  // namespace halo
