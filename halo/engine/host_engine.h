// The compiled engine of this machine behind the facade's interface.
#ifndef HALO_ENGINE_HOST_ENGINE_H_
#define HALO_ENGINE_HOST_ENGINE_H_

#include <memory>
#include <string>

#include "halo/api/compiled_engine.h"

namespace halo {

std::unique_ptr<CompiledEngine> MakeHostEngine();

// Where compiled code is kept unless told otherwise: HALO_CACHE_DIR, or the user's cache folder;
// empty if there is none.
std::string DefaultCacheDir();

}  // namespace halo

#endif  // HALO_ENGINE_HOST_ENGINE_H_
