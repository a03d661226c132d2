// A plugin as another build would have made it, for load_plugin_test.
extern "C" __attribute__((visibility("default"))) const char* HaloPluginBuildId() {
  return "00000000000000000000000000000000";
}
