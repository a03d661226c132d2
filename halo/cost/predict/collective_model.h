// How long a collective takes once all devices of its group have arrived: a start, and the bytes
// over the slowest connection on their way. Waiting for devices that arrive
// late is not part of it.
#ifndef HALO_COST_PREDICT_COLLECTIVE_MODEL_H_
#define HALO_COST_PREDICT_COLLECTIVE_MODEL_H_

#include "halo/cost/count/wire_use.h"
#include "halo/cost/predict/model_constants.h"
#include "halo/cost/predict/op_time.h"
#include "halo/memory/backend/device_rates.h"

namespace halo {

OpTime PredictCollective(const WireUse& use, const DeviceRates& rates,
                         const ModelConstants& constants);
// The same for a group that spans this many nodes, wherever the first one is.
OpTime PredictCollective(const WireUse& use, int64_t nodes, const DeviceRates& rates,
                         const ModelConstants& constants);

}  // namespace halo

#endif  // HALO_COST_PREDICT_COLLECTIVE_MODEL_H_
