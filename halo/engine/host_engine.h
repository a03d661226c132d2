// The compiled engine for the host machine, behind the facade's interface.
#ifndef HALO_ENGINE_HOST_ENGINE_H_
#define HALO_ENGINE_HOST_ENGINE_H_

#include <memory>

#include "halo/api/run/compiled_engine.h"

namespace halo {

std::unique_ptr<CompiledEngine> MakeHostEngine();

}  // namespace halo

#endif  // HALO_ENGINE_HOST_ENGINE_H_
