// Libraries that the command or libhaloscope loads when it needs them, from beside itself or from
// where they are installed.
#ifndef HALO_PLUGINS_LOAD_PLUGIN_H_
#define HALO_PLUGINS_LOAD_PLUGIN_H_

#include <string>

namespace halo {

// Null, with the reason, if there is no such library or if it comes from another build: every
// plugin exports `const char* HaloPluginBuildId()`. Never unloaded: what a plugin makes lives as
// long as the process.
void* LoadPlugin(const char* library, std::string& problem);
bool HasPlugin(const char* library);

}  // namespace halo

#endif  // HALO_PLUGINS_LOAD_PLUGIN_H_
