// Libraries that the command loads when it needs them, from beside it or from where it is
// installed.
#ifndef TOOLS_HALO_PLUGINS_LOAD_PLUGIN_H_
#define TOOLS_HALO_PLUGINS_LOAD_PLUGIN_H_

#include <string>

namespace halo::tool {

// Null, with the reason, if there is none or it is of another version: `version_symbol` names a
// function that tells. Never unloaded: what it made lives as long as the command.
void* LoadPlugin(const char* library, const char* version_symbol, std::string& problem);
bool HasPlugin(const char* library);

}  // namespace halo::tool

#endif  // TOOLS_HALO_PLUGINS_LOAD_PLUGIN_H_
