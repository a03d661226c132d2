// An editor's messages on standard input, answers on standard output, and whole texts read in the
// background when typing pauses.
#ifndef TOOLS_HALO_LSP_LSP_STDIO_H_
#define TOOLS_HALO_LSP_LSP_STDIO_H_

namespace halo::tool {

// Until the editor sends `exit` or closes the stream. False if it did not shut the server down
// before.
bool ServeEditor();

}  // namespace halo::tool

#endif  // TOOLS_HALO_LSP_LSP_STDIO_H_
