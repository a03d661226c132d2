// Tests device lookup, device files, and which device a dump was compiled for.
#include "halo/cost/device/time_device.h"

#include <gtest/gtest.h>

#include "halo/cost/device/infer_device.h"
#include "halo/memory/backend/device.h"

namespace halo {
namespace {

TEST(TimeDeviceTest, EveryRowNamesADevice) {
  for (const std::string_view name : TimeDeviceNames()) {
    const std::optional<TimeDevice> device = FindTimeDevice(name);
    ASSERT_TRUE(device.has_value()) << name;
    EXPECT_TRUE(device->rates.known()) << name;
    EXPECT_TRUE(device->backend.has_value()) << name;
    ForEachFigure(device->rates, [&](std::string_view figure, const Figure& each) {
      EXPECT_EQ(each.value > 0, each.source != FigureSource::kUnknown) << name << " " << figure;
    });
  }
  EXPECT_EQ(FindTimeDevice("H100")->name, "h100");
  EXPECT_FALSE(FindTimeDevice("p100").has_value());
}

TEST(TimeDeviceTest, WritesWhatItReads) {
  const Result<TimeDevice> device = ReadDeviceFile(
      R"({"name": "mine", "backend": "cpu", "bandwidth": 2e10, "f32": 1e11,
          "curves": {"loop bytes": [[1e6, 1e-4], [100, 1e-7]]}})");
  ASSERT_TRUE(device);
  const Result<TimeDevice> again = ReadDeviceFile(DeviceFileJson(*device));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->name, "mine");
  EXPECT_EQ(again->backend, Backend::kCpu);
  EXPECT_EQ(again->rates.f32.value, 1e11);
  ASSERT_NE(again->curves, nullptr);
  ASSERT_EQ(again->curves->by_name.size(), 1U);
  EXPECT_EQ(again->curves->Find("loop bytes")->Start(), 1e-7);
}

TEST(TimeDeviceTest, ReadsDeviceFiles) {
  const Result<TimeDevice> device =
      ReadDeviceFile(R"({"name": "mine", "like": "h100", "bandwidth": 2e12})");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name, "mine");
  EXPECT_EQ(device->rates.bandwidth.value, 2e12);
  EXPECT_EQ(device->rates.bandwidth.source, FigureSource::kUserFile);
  EXPECT_EQ(device->rates.bf16.value, FindTimeDevice("h100")->rates.bf16.value);
  for (const std::string_view bad :
       {"", "[]", R"({"like": "h100"})", R"({"name": "x"})", R"({"name": "x", "like": "y"})",
        R"({"name": "x", "like": "h100", "speed": 1})",
        R"({"name": "x", "like": "h100", "bandwidth": "fast"})",
        R"({"name": "x", "backend": "fpga", "like": "h100"})",
        R"({"name": "x", "like": "cpu", "curves": []})",
        R"({"name": "x", "like": "cpu", "curves": {"loop bytes": []}})",
        R"({"name": "x", "like": "cpu", "curves": {"loop bytes": [[1]]}})",
        R"({"name": "x", "like": "cpu", "curves": {"loop bytes": [[1, -1]]}})"}) {
    EXPECT_FALSE(ReadDeviceFile(bad)) << bad;
  }
}

TEST(TimeDeviceTest, PeaksFollowTheElementType) {
  const DeviceRates& h100 = *FindDeviceRates("h100");
  EXPECT_EQ(ProductPeak(h100, ElementType::kF32, false).value, h100.tf32.value);
  EXPECT_EQ(ProductPeak(h100, ElementType::kF32, true).value, h100.f32.value);
  EXPECT_EQ(ProductPeak(h100, ElementType::kF8E4M3FN, false).value, h100.f8.value);
  const DeviceRates& v4 = *FindDeviceRates("v4");
  EXPECT_EQ(ProductPeak(v4, ElementType::kF8E4M3FN, false).value, v4.bf16.value);
}

TEST(TimeDeviceTest, InfersTheDevice) {
  const Module module;
  const auto infer = [&](DeviceClues clues) {
    clues.backend = Backend::kGpu;
    return InferDevice(module, clues);
  };
  EXPECT_EQ(infer({.target_config = "device_description_str: \"NVIDIA A100-SXM4-40GB\""}).name,
            "a100-40");
  EXPECT_EQ(infer({.autotuned_on = "sm_8.0 with 42505273344B RAM, 108 cores"}).name, "a100-40");
  EXPECT_EQ(infer({.file_name = "module_0001.jit_f.sm_9.0a_gpu_after_optimizations.txt"}).name,
            "h100");
  EXPECT_FALSE(infer({}).is_certain);
  EXPECT_FALSE(InferDevice(module, {.backend = Backend::kTpu}).is_certain);
}

}  // namespace
}  // namespace halo
