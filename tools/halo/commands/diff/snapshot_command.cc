// `halo snapshot`: writes the figures of a program that are worth watching into a small file.
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/snapshot/snapshot_document.h"
#include "tools/halo/commands/diff/diff_gate.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

struct SnapshotFlags {
  v0::SnapshotRequest asked;
  std::string out = "-";
  WorkLimits limits;
};

void WriteSnapshot(const SnapshotFlags& flags, const std::function<void()>& has_result,
                   Session& session) {
  Result<SnapshotRequest> request = halo::RequestOf(flags.asked);
  if (!request.ok()) return Refuse(request.error(), "", session);
  request->path = session.files.front();
  request->open = session.open_options();
  const SnapshotResult result = TakeSnapshot(*request);
  has_result();
  if (!result.succeeded) return ComplainAbout(result, session);
  if (!WriteFile(flags.out, SnapshotFileJson(result.snapshot) + "\n", session)) return;
  if (session.json) PrintJson(SnapshotJson(result), session);
}

void RunSnapshot(const SnapshotFlags& flags, Session& session) {
  GuardedWork guarded;
  guarded.name = "halo snapshot";
  guarded.input = session.files.front();
  guarded.outputs = {flags.out};
  guarded.work = [&](const std::function<void()>& has_result) {
    WriteSnapshot(flags, has_result, session);
  };
  RunLimited(flags.limits, guarded, session);
}

}  // namespace

void AddSnapshotCommand(CLI::App& app, Session& session) {
  auto flags = std::make_shared<SnapshotFlags>();
  CLI::App* command = app.add_subcommand(
      "snapshot", "Write a program's memory, time and counts into a small file to compare with");
  AddCommonOptions(*command, session, false);
  command->add_option("-o,--output", flags->out, "File to write; - is standard output")
      ->type_name("FILE")
      ->capture_default_str()
      ->group(kOutputOptions);
  AddRequestOptions(*command, flags->asked);
  AddReadLimitOptions(*command, flags->limits);
  command->footer(
      "The file holds fingerprints, peak memory, counts of ops, copies and collectives by size, "
      "and the\n"
      "predicted time of a step. It is the same for the same program, so it can be committed; "
      "`halo diff`\n"
      "takes it in place of a program.\n\n"
      "Examples:\n"
      "  halo snapshot xla_dump -o step.halo.json\n"
      "  halo diff step.halo.json xla_dump --fail-on 'peak>+1%,new:all-gather'");
  command->callback([flags, &session] { RunSnapshot(*flags, session); });
}

}  // namespace halo::tool
