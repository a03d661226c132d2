// Libraries that the command or libhaloscope loads on demand, from its own folder or from where
// they are installed.
#ifndef HALO_PLUGINS_LOAD_PLUGIN_H_
#define HALO_PLUGINS_LOAD_PLUGIN_H_

#include <filesystem>
#include <string>

namespace halo {

// Null, with the reason, if there is no such library, if others could have replaced it
// (trusted_file.h), or if it comes from another build: every plugin exports
// `const char* HaloPluginBuildId()`. Plugins are never unloaded, because objects that they create
// live as long as the process.
void* LoadPlugin(const char* library, std::string& problem);
bool HasPlugin(const char* library);

// The absolute path of a file, given from the folder of the binary that contains this code; empty
// if there is none.
std::string PathFromOwnFolder(const std::filesystem::path& relative);
// Why a file must not be used as part of this program; empty if it may be.
std::string WhyNotTrusted(const std::string& path);

}  // namespace halo

#endif  // HALO_PLUGINS_LOAD_PLUGIN_H_
