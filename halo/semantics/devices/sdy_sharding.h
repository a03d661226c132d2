// Shardings as Shardy writes them into frontend attributes: #sdy.sharding_per_value<[<@mesh,
// [{"x"}, {}]>, ...]>, over meshes that the module's header names.
#ifndef HALO_SEMANTICS_DEVICES_SDY_SHARDING_H_
#define HALO_SEMANTICS_DEVICES_SDY_SHARDING_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"
#include "halo/ir/sharding/sharding.h"

namespace halo {

// Reads one named sharding for each value. If `only_axes` is given, other axes are left out: they
// do not shard what a manual region sees. Returns nothing if the text has another form.
std::optional<std::vector<Sharding>> ReadSdyShardings(const Module& module, std::string_view text,
                                                      const std::vector<std::string>* only_axes);
// Reads {"x", "y"} from #sdy<manual_axes{"x", "y"}>.
std::vector<std::string> ReadSdyAxes(std::string_view text);

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_SDY_SHARDING_H_
