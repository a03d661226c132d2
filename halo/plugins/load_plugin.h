// Libraries that the command or libhaloscope loads on demand, from its own folder or from where
// they are installed.
#ifndef HALO_PLUGINS_LOAD_PLUGIN_H_
#define HALO_PLUGINS_LOAD_PLUGIN_H_

#include <string>

namespace halo {

// Null, with the reason, if there is no such library or if it comes from another build: every
// plugin exports `const char* HaloPluginBuildId()`. Plugins are never unloaded, because objects
// that they create live as long as the process.
void* LoadPlugin(const char* library, std::string& problem);
bool HasPlugin(const char* library);

}  // namespace halo

#endif  // HALO_PLUGINS_LOAD_PLUGIN_H_
