// Read-only views of the modules in a document. A view is a small value that keeps the document
// alive; it can be copied and used from several threads at once. Texts returned as string_view stay
// valid as long as the document or any view of it exists.
#ifndef HALOSCOPE_MODULE_H_
#define HALOSCOPE_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct DocumentState;
class ComputationView;

class HALO_EXPORT InstructionView {
 public:
  // Its position among all instructions of the module, in text order.
  [[nodiscard]] uint32_t id() const { return id_; }
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::string_view opcode() const;
  [[nodiscard]] std::string shape() const;  // with layout, as XLA prints it
  // Size of the result; nothing if the shape is a token, opaque, or unbounded.
  [[nodiscard]] std::optional<int64_t> byte_size() const;
  [[nodiscard]] std::optional<int64_t> parameter_number() const;
  [[nodiscard]] std::string_view op_name() const;  // from the metadata; may be empty
  [[nodiscard]] std::string source() const;        // "file.py:12"; may be empty
  [[nodiscard]] std::string text() const;          // the instruction's line of HLO
  [[nodiscard]] bool is_root() const;

  [[nodiscard]] std::vector<InstructionView> operands() const;
  // Instructions of the same computation that read this one, each once.
  [[nodiscard]] std::vector<InstructionView> users() const;
  // Computations that it calls: of a fusion, a loop's condition and body, ...
  [[nodiscard]] std::vector<ComputationView> called_computations() const;
  [[nodiscard]] ComputationView computation() const;

  friend bool operator==(const InstructionView& a, const InstructionView& b) {
    return a.state_ == b.state_ && a.module_ == b.module_ && a.id_ == b.id_;
  }

 private:
  friend class ComputationView;
  friend class ModuleView;
  InstructionView(std::shared_ptr<const DocumentState> state, uint32_t module, uint32_t id)
      : state_(std::move(state)), module_(module), id_(id) {}

  std::shared_ptr<const DocumentState> state_;
  uint32_t module_, id_;
};

class HALO_EXPORT ComputationView {
 public:
  [[nodiscard]] uint32_t id() const { return id_; }
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool is_entry() const;
  [[nodiscard]] size_t instruction_count() const;
  // In text order, which is the schedule in a scheduled module.
  [[nodiscard]] std::vector<InstructionView> instructions() const;
  // Nothing if the computation was read with errors and has no root.
  [[nodiscard]] std::optional<InstructionView> root() const;

  friend bool operator==(const ComputationView& a, const ComputationView& b) {
    return a.state_ == b.state_ && a.module_ == b.module_ && a.id_ == b.id_;
  }

 private:
  friend class InstructionView;
  friend class ModuleView;
  ComputationView(std::shared_ptr<const DocumentState> state, uint32_t module, uint32_t id)
      : state_(std::move(state)), module_(module), id_(id) {}

  std::shared_ptr<const DocumentState> state_;
  uint32_t module_, id_;
};

class HALO_EXPORT ModuleView {
 public:
  // Its position among the modules of the document.
  [[nodiscard]] uint32_t id() const { return id_; }
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool is_scheduled() const;
  [[nodiscard]] int64_t replica_count() const;
  [[nodiscard]] int64_t num_partitions() const;
  [[nodiscard]] size_t instruction_count() const;
  [[nodiscard]] std::vector<ComputationView> computations() const;  // in text order
  // Nothing if the module was read with errors and has none.
  [[nodiscard]] std::optional<ComputationView> entry() const;
  // By name, without the percent sign. Takes time linear in the number of instructions.
  [[nodiscard]] std::optional<InstructionView> Find(std::string_view name) const;
  // As HLO text in the style it was read in; byte for byte for text that XLA printed.
  [[nodiscard]] std::string text() const;

 private:
  friend class Document;
  ModuleView(std::shared_ptr<const DocumentState> state, uint32_t id)
      : state_(std::move(state)), id_(id) {}

  std::shared_ptr<const DocumentState> state_;
  uint32_t id_;
};

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_MODULE_H_
