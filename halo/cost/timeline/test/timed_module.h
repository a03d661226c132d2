// A scheduled module for tests, with the times of its instructions given by name, so that every
// expected figure can be worked out by hand. What is simulated with them is left to each test.
#ifndef HALO_COST_TIMELINE_TEST_TIMED_MODULE_H_
#define HALO_COST_TIMELINE_TEST_TIMED_MODULE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/cost/count/module_cost.h"
#include "halo/cost/predict/op_time.h"
#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"
#include "halo/text/read/read_text.h"

namespace halo {

// The unit of given times: about a microsecond, and exact.
constexpr double kTimeUnit = 1.0 / (1 << 20);

struct TimedModule {
  // `times` are in kTimeUnit; instructions that it does not name take none.
  TimedModule(const std::string& text, const std::map<std::string, double>& times,
              std::optional<Backend> backend)
      : read(ReadHloText(
            SourceBuffer::Copy("HloModule m, is_scheduled=true, num_partitions=4\n" + text, "m"))),
        cost(read.module, backend),
        ops(read.module.insts.size()) {
    EXPECT_TRUE(read.diagnostics.ok());
    for (const auto& [name, seconds] : times) {
      OpTime& time = ops[Find(name).index()];
      time.seconds = seconds * kTimeUnit;
      time.floor = time.seconds / 2;
      time.source = TimeSource::kModel;
    }
  }

  [[nodiscard]] InstId Find(std::string_view name) const {
    for (uint32_t i = 0; i < read.module.insts.size(); ++i) {
      if (read.module.name_of(read.module.insts[i]) == name) return InstId(i);
    }
    ADD_FAILURE() << "no instruction " << name;
    return InstId(0U);
  }

  TextReadResult read;
  ModuleCost cost;
  std::vector<OpTime> ops;
};

}  // namespace halo

#endif  // HALO_COST_TIMELINE_TEST_TIMED_MODULE_H_
