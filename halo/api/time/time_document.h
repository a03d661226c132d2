// The result of `halo time` as users see it, in every front end.
#ifndef HALO_API_TIME_TIME_DOCUMENT_H_
#define HALO_API_TIME_TIME_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "halo/api/time/time.h"
#include "haloscope/time.h"

namespace halo {

// With at most `top` rows in the lists that are cut; a program has many instructions.
v0::TimeResult TimeDocument(const TimeResult& result, size_t top = SIZE_MAX);
std::string TimeJson(const TimeResult& result, size_t top);

// Parts of the document, for front ends that show only these.
v0::TimeOp TimeOpOf(const TimedOp& op);
v0::TimeGroup TimeGroupOf(const TimeGroup& group);
v0::ExposedOp ExposedOpOf(const TimedOp& op);
v0::TimeAdvice TimeAdviceOf(const TimeAdvice& advice);
v0::MeasuredTime MeasuredTimeOf(const TimeResult& result, size_t top);
// Those that are known. Without their source if `with_sources` is false.
std::vector<v0::DeviceFigure> DeviceFiguresOf(const DeviceRates& rates, bool with_sources = true);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_DOCUMENT_H_
