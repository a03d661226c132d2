// Tests what limits GPU kernels and collectives beside bytes: threads with one element, idle cores,
// and operands that run one after the other.
#include "halo/cost/predict/predictor.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

// A GPU with round figures: 10 TB/s, 100 cores, 100 GB/s of links.
DeviceRates Rates() {
  DeviceRates rates;
  rates.bandwidth.value = 1e13;
  rates.cores.value = 100;
  rates.link.value = 1e11;
  rates.links.value = 1;
  rates.node.value = 8;
  return rates;
}

class Predicted {
 public:
  explicit Predicted(const std::string& text, const DeviceRates& rates = Rates(),
                     Backend backend = Backend::kGpu)
      : read_(ReadHloText(SourceBuffer::Copy("HloModule m, num_partitions=4\n" + text, "m"))),
        cost_(read_.module, backend),
        predictor_(read_.module, cost_, {.backend = backend, .rates = rates}) {
    EXPECT_TRUE(read_.diagnostics.ok());
  }

  OpTime of(std::string_view name) {
    for (uint32_t i = 0; i < read_.module.insts.size(); ++i) {
      if (read_.module.name_of(read_.module.insts[i]) == name) return predictor_.Of(InstId(i));
    }
    ADD_FAILURE() << "no instruction " << name;
    return {};
  }

 private:
  TextReadResult read_;
  ModuleCost cost_;
  Predictor predictor_;
};

constexpr std::string_view kUpdate = R"(update {
  all = bf16[8,1048576]{1,0} parameter(0)
  part = bf16[1,1048576]{1,0} parameter(1)
  at = s32[] parameter(2)
  zero = s32[] constant(0)
  new = bf16[8,1048576]{1,0} dynamic-update-slice(all, part, at, zero)
  ROOT as = bf16[8388608]{0} bitcast(new)
}
ENTRY e {
  a = bf16[8,1048576]{1,0} parameter(0)
  p = bf16[1,1048576]{1,0} parameter(1)
  i = s32[] parameter(2)
  ROOT f = bf16[8388608]{0} fusion(a, p, i), kind=kLoop, calls=update
})";

TEST(Predictor, UpdatesInPlaceMoveOneElementPerThread) {
  const OpTime time = Predicted(std::string(kUpdate)).of("f");
  const double threads = 1048576 * 1.32e-6 / 2048 / 100;
  EXPECT_NEAR(time.seconds, 2e-6 + threads, 1e-9);
  EXPECT_EQ(time.bound, TimeBound::kLatency);
  EXPECT_LT(time.floor, time.seconds / 2);
  // More memory does not help, more cores do.
  DeviceRates rates = Rates();
  rates.cores.value = 200;
  EXPECT_NEAR(Predicted(std::string(kUpdate), rates).of("f").seconds, 2e-6 + threads / 2, 1e-9);
  EXPECT_LT(Predicted(std::string(kUpdate), Rates(), Backend::kTpu).of("f").seconds, 5e-5);
}

TEST(Predictor, FewColumnsLeaveCoresIdle) {
  const auto seconds = [](const std::string& columns, const std::string& dimension) {
    return Predicted(
               "sum { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y) "
               "}\n"
               "ENTRY e { p = f32[" +
               columns +
               "]{1,0} parameter(0)\n zero = f32[] constant(0)\n"
               "ROOT r = f32[" +
               (dimension == "0" ? columns.substr(columns.find(',') + 1)
                                 : columns.substr(0, columns.find(','))) +
               "]{0} reduce(p, zero), dimensions={" + dimension + "}, to_apply=sum }")
        .of("r")
        .seconds;
  };
  const double rows = seconds("1048576,320", "1") - 3e-6,
               columns = seconds("1048576,320", "0") - 3e-6;
  EXPECT_NEAR(columns / rows, 10, 0.1);  // 10 blocks for 100 cores
  EXPECT_NEAR((seconds("1024,65536", "0") - 3e-6) / (seconds("1024,65536", "1") - 3e-6), 1, 0.1);
}

TEST(Predictor, OperandsOfACombinedCollectiveRunOneAfterTheOther) {
  const std::string one = R"(ENTRY e {
  a = f32[1048576]{0} parameter(0)
  ROOT g = f32[4194304]{0} all-gather(a), dimensions={0}, replica_groups={{0,1,2,3}}
})";
  const std::string three = R"(ENTRY e {
  a = f32[1048576]{0} parameter(0)
  b = f32[1]{0} parameter(1)
  ROOT g = (f32[4194304]{0}, f32[4]{0}, f32[4]{0}) all-gather(a, b, b), dimensions={0}, replica_groups={{0,1,2,3}}
})";
  const std::string small = R"(ENTRY e {
  b = f32[1]{0} parameter(0)
  ROOT g = (f32[4]{0}, f32[4]{0}) all-gather(b, b), dimensions={0}, replica_groups={{0,1,2,3}}
})";
  EXPECT_LT(Predicted(small).of("g").seconds, 29e-6);
  const double more = Predicted(three).of("g").seconds - Predicted(one).of("g").seconds;
  EXPECT_NEAR(more, 2 * (8.4e-6 + 3 * 3.4e-6), 1e-7);
}

}  // namespace
}  // namespace halo
